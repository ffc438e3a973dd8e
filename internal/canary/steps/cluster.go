package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/apiserver"
	"strata/internal/canary"
)

// Run takes the steps of a Spec in the cluster that config leads to.
func Run(ctx context.Context, config *rest.Config, spec canary.Spec, progress io.Writer) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return run(ctx, spec, &cluster{spec, client}, progress)
}

// cluster is the world as it is.
type cluster struct {
	spec   canary.Spec
	client kubernetes.Interface
}

// First implements world.
func (c *cluster) First(ctx context.Context) (bool, error) {
	_, err := c.deployment(ctx, c.spec.Stable)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

// Same implements world. The Pods of both differ by the label that their Services select them by, and in nothing else.
func (c *cluster) Same(ctx context.Context) (bool, error) {
	var templates [2]corev1.PodTemplateSpec
	for i, name := range []string{c.spec.Stable, c.spec.Canary} {
		d, err := c.deployment(ctx, name)
		if err != nil {
			return false, fmt.Errorf("Deployment %s/%s: %w", c.spec.Namespace, name, err)
		}
		templates[i] = d.Spec.Template
		templates[i].Labels = nil
		for j := range templates[i].Spec.TopologySpreadConstraints {
			templates[i].Spec.TopologySpreadConstraints[j].LabelSelector = nil
		}
	}
	return equality.Semantic.DeepEqual(templates[0], templates[1]), nil
}

// deployment gets a Deployment. An API server that is away, or has no leader of etcd, is asked again: that is no fault of the version's.
func (c *cluster) deployment(ctx context.Context, name string) (d *appsv1.Deployment, err error) {
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		d, err = c.client.AppsV1().Deployments(c.spec.Namespace).Get(ctx, name, metav1.GetOptions{})
		return err
	})
	return d, err
}

// Pause implements world.
func (c *cluster) Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Weigh implements world. It replaces rules whole, since a list of them has no keys to merge by; a change by somebody else in between is
// refused by the version, and tried again.
func (c *cluster) Weigh(ctx context.Context, percent int) error {
	for _, route := range c.spec.Routes {
		if err := c.weigh(ctx, route, percent); err != nil {
			return fmt.Errorf("HTTPRoute %s/%s: weigh %s with %d %%: %w", c.spec.Namespace, route, c.spec.Canary, percent, err)
		}
	}
	return nil
}

func (c *cluster) weigh(ctx context.Context, route string, percent int) error {
	path := "/apis/gateway.networking.k8s.io/v1/namespaces/" + c.spec.Namespace + "/httproutes/" + route
	const tries = 5
	var conflict error
	for range tries {
		var text []byte
		err := apiserver.Insist(ctx, func(ctx context.Context) (err error) {
			text, err = c.client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(ctx)
			return err
		})
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(text, &object.Object); err != nil {
			return err
		}
		rules, _, err := unstructured.NestedSlice(object.Object, "spec", "rules")
		if err != nil {
			return err
		}
		if !c.set(rules, percent) {
			return fmt.Errorf("has no backends %s and %s", c.spec.Stable, c.spec.Canary)
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": object.GetResourceVersion()}, "spec": map[string]any{"rules": rules},
		})
		if err != nil {
			return err
		}
		err = apiserver.Insist(ctx, func(ctx context.Context) error {
			return c.client.CoreV1().RESTClient().Patch(types.MergePatchType).AbsPath(path).Param("fieldManager", "strata-canary").Body(patch).Do(ctx).Error()
		})
		if !apierrors.IsConflict(err) {
			return err
		}
		conflict = err
	}
	return conflict
}

// set changes the weights of both versions in every rule, and reports whether it found them.
func (c *cluster) set(rules []any, percent int) bool {
	found := 0
	for _, rule := range rules {
		fields, _ := rule.(map[string]any)
		backends, _ := fields["backendRefs"].([]any)
		for _, backend := range backends {
			ref, _ := backend.(map[string]any)
			switch ref["name"] {
			case c.spec.Stable:
				ref["weight"] = int64(100 - percent)
				found++
			case c.spec.Canary:
				ref["weight"] = int64(percent)
				found++
			}
		}
	}
	return found > 0 && found == 2*len(rules)
}

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
