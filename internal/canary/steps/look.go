package steps

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/apiserver"
)

// Look implements world.
func (c *cluster) Look(ctx context.Context) (seen, error) {
	d, err := c.deployment(ctx, c.spec.Canary)
	if err != nil {
		return seen{}, fmt.Errorf("Deployment %s/%s: %w", c.spec.Namespace, c.spec.Canary, err)
	}
	if d.Status.AvailableReplicas == 0 {
		return seen{Wrong: "no Pod of it is available"}, nil
	}
	var found seen
	if found.Wrong, err = c.probe(ctx); err != nil || c.spec.Traefik == nil {
		return found, err
	}
	found.Counters, err = c.count(ctx)
	return found, err
}

// probe asks the canary's Service through the API server. No answer at all is the API server's: that is asked again.
func (c *cluster) probe(ctx context.Context) (wrong string, err error) {
	path := "/api/v1/namespaces/" + c.spec.Namespace + "/services/" + c.spec.Canary + ":http/proxy" + c.spec.Path
	var status int
	var answer error
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		answer = c.client.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).StatusCode(&status).Error()
		if status == 0 {
			return answer
		}
		return nil
	})
	if err == nil && status >= http.StatusInternalServerError {
		wrong = fmt.Sprintf("its probe %s answers %d: %v", c.spec.Path, status, answer)
	}
	return wrong, err
}

// count asks each of Traefik's Pods what it has counted. One that goes or starts may not answer: it is left out.
func (c *cluster) count(ctx context.Context) (map[string]counter, error) {
	t := c.spec.Traefik
	var pods *corev1.PodList
	err := apiserver.Insist(ctx, func(ctx context.Context) (err error) {
		pods, err = c.client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{LabelSelector: t.Selector})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("Pods of Traefik: %w", err)
	}
	all := map[string]counter{}
	for _, pod := range pods.Items {
		path := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:%d/proxy/metrics", t.Namespace, pod.Name, t.Port)
		text, err := c.client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(ctx)
		if err != nil {
			continue
		}
		if all[pod.Name], err = answersIn(text, c.spec.Namespace+"-"+c.spec.Canary+"-"); err != nil {
			return nil, fmt.Errorf("metrics of Pod %s: %w", pod.Name, err)
		}
	}
	return all, nil
}

// answersIn reads Traefik's own counter of answers by Service (docs: traefik_service_requests_total).
func answersIn(text []byte, service string) (counter, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return counter{}, err
	}
	var counted counter
	for _, metric := range families["traefik_service_requests_total"].GetMetric() {
		labels := labelsOf(metric)
		if !strings.HasPrefix(labels["service"], service) {
			continue
		}
		n := int(metric.GetCounter().GetValue())
		counted.Answers += n
		if code, err := strconv.Atoi(labels["code"]); err == nil && code >= http.StatusInternalServerError {
			counted.Failed += n
		}
	}
	return counted, nil
}

func labelsOf(metric *dto.Metric) map[string]string {
	labels := map[string]string{}
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}
