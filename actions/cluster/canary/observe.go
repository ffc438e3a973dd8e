package canary

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
)

// Observe implements world.
func (c *cluster) Observe(ctx context.Context) (seen, error) {
	d, err := c.deployment(ctx, c.spec.Canary)
	if err != nil {
		return seen{}, err
	}
	if d.Status.AvailableReplicas == 0 {
		return seen{Wrong: "no Pod of it is available"}, nil
	}
	var found seen
	if found.Wrong, err = c.probe(ctx); err != nil || len(c.spec.Metrics) == 0 {
		return found, err
	}
	return found, c.count(ctx, d, &found)
}

// probe sends a request to the canary's Service through the API server. If the status is 5xx, wrong
// describes the fault. If there is no answer, the API server is at fault, so probe retries.
func (c *cluster) probe(ctx context.Context) (wrong string, err error) {
	path := "/api/v1/namespaces/" + c.spec.Namespace + "/services/" + c.spec.Canary +
		":http/proxy" + c.spec.Path
	var status int
	var answer error
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		answer = c.client.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).StatusCode(
			&status).Error()
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

// count reads the canary's counters from each Pod of the ingress controllers. d is the canary's
// Deployment.
func (c *cluster) count(ctx context.Context, d *appsv1.Deployment, found *seen) error {
	found.Counters = map[string]counter{}
	var strange []string
	for _, metrics := range c.spec.Metrics {
		isOurs, err := c.labelFilter(ctx, metrics, d)
		if err != nil {
			return err
		}
		pods, err := c.pods(ctx, metrics.Namespace, metrics.Selector)
		if err != nil {
			return err
		}
		for _, pod := range pods {
			path := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:%d/proxy%s", metrics.Namespace,
				pod.Name, metrics.Port, metrics.Path)
			text, err := c.client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(ctx)
			if err != nil {
				continue // skip a Pod that does not answer, for example because it starts or terminates
			}
			name := metrics.Namespace + "/" + pod.Name
			var labels []string
			if found.Counters[name], labels, err = answersIn(text, metrics, isOurs); err != nil {
				return fmt.Errorf("metrics of Pod %s: %w", name, err)
			}
			if text := unread(pod, metrics, labels); text != "" {
				strange = append(strange, text)
			}
		}
	}
	slices.Sort(strange)
	found.Unread = strings.Join(strange, "; ")
	return nil
}

// labelFilter returns a function that reports whether a metric's label belongs to the canary.
func (c *cluster) labelFilter(
	ctx context.Context, metrics Metrics, d *appsv1.Deployment,
) (func(label string) bool, error) {
	if !metrics.ByPod {
		return func(label string) bool {
			return ofService(label, c.spec.Namespace,
				c.spec.Canary)
		}, nil
	}
	pods, err := c.podsOf(ctx, d)
	return func(label string) bool {
		// Do not count a terminating Pod: it runs the previous canary version.
		return slices.ContainsFunc(pods, func(p corev1.Pod) bool {
			return label != "" && p.Status.PodIP == label && p.DeletionTimestamp == nil
		})
	}, err
}

// CountTerminating implements world. It ignores Pods whose grace period is over: they are dead, or
// on a node that does not answer, and serve no request.
func (c *cluster) CountTerminating(ctx context.Context) (int, error) {
	d, err := c.deployment(ctx, c.spec.Canary)
	if err != nil {
		return 0, err
	}
	pods, err := c.podsOf(ctx, d)
	if err != nil {
		return 0, err
	}
	leaving := 0
	for _, pod := range pods {
		// The deletion timestamp includes the grace period.
		if pod.DeletionTimestamp != nil && time.Now().Before(pod.DeletionTimestamp.Time) {
			leaving++
		}
	}
	return leaving, nil
}

// podsOf returns a Deployment's Pods, including those of an earlier version that still terminate.
func (c *cluster) podsOf(ctx context.Context, d *appsv1.Deployment) ([]corev1.Pod, error) {
	return c.pods(ctx, c.spec.Namespace, metav1.FormatLabelSelector(d.Spec.Selector))
}

// pods returns the Pods that match a selector.
func (c *cluster) pods(
	ctx context.Context, namespace, selector string,
) ([]corev1.Pod, error) {
	list, err := apiserver.List(ctx, c.client.CoreV1().Pods(namespace),
		metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("Pods %s in %s: %w", selector, namespace, err)
	}
	return list.Items, nil
}

// answersIn returns the sum of the answer counters with the canary's label, and the sorted labels
// of all counters. text has the metrics in Prometheus' format.
func answersIn(
	text []byte, metrics Metrics, isOurs func(label string) bool,
) (counter, []string, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return counter{}, nil, err
	}
	var counted counter
	var all []string
	for _, metric := range families[metrics.Counter].GetMetric() {
		labels := labelsOf(metric)
		all = append(all, labels[metrics.Label])
		if !isOurs(labels[metrics.Label]) {
			continue
		}
		n := int(metric.GetCounter().GetValue())
		counted.Answers += n
		if code, err := strconv.Atoi(labels["code"]); err == nil &&
			code >= http.StatusInternalServerError {
			counted.Failed += n
		}
	}
	slices.Sort(all)
	return counted, slices.Compact(all), nil
}

func labelsOf(metric *dto.Metric) map[string]string {
	labels := map[string]string{}
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}
