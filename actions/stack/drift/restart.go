package drift

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"strata/internal/kube/apiserver"
)

// restart restarts the workloads of a resource for which needed is true.
func (r *Report) restart(
	ctx context.Context, resource string, needed func(context.Context, *wanted) (bool, error),
) error {
	for i := range r.wanted {
		one := &r.wanted[i]
		if one.resource != resource || one.object.GroupVersionKind().Group != "apps" {
			continue
		}
		restarts, err := needed(ctx, one)
		if err == nil && restarts {
			err = r.cluster.restart(ctx, one)
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("restart %s: %w", one.title(true), err)
		}
	}
	return nil
}

func (c *cluster) restart(ctx context.Context, one *wanted) error {
	client, _, err := c.kinds.Client(ctx, one.object, one.namespace)
	if err != nil || client == nil {
		return err
	}
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`,
		"kubectl.kubernetes.io/restartedAt", time.Now().UTC().Format(time.RFC3339))
	_, err = client.Patch(ctx, one.object.GetName(), types.StrategicMergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: Manager})
	return err
}

// hasStartedWithChange reports whether a Pod of the workload started after one of the objects had
// been changed that it reads.
func (c *cluster) hasStartedWithChange(
	ctx context.Context, one *wanted, differing []Difference,
) (bool, error) {
	if !slices.ContainsFunc(differing, one.reads) {
		return false, nil
	}
	selector, _, _ := unstructured.NestedStringMap(one.object.Object, "spec", "selector",
		"matchLabels")
	pods, err := apiserver.Ask(ctx, func(ctx context.Context) (*corev1.PodList, error) {
		return c.kube.CoreV1().Pods(one.resolveNamespace()).List(ctx,
			metav1.ListOptions{LabelSelector: labels.Set(selector).String()})
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool {
		return slices.ContainsFunc(differing, func(other Difference) bool {
			return one.reads(other) && !pod.CreationTimestamp.Time.Before(other.changed)
		})
	}), nil
}

// startedWith reports whether the workload's Pods must restart because a Secret or their
// ServiceAccount was missing. Some controllers, such as Argo CD, write keys into a Secret only when
// they start. A Pod's token contains the UID of its ServiceAccount.
func (w *wanted) startedWith(other Difference) bool {
	if other.Verdict != Missing || w.resolveNamespace() != other.object.resolveNamespace() {
		return false
	}
	account, _, _ := unstructured.NestedString(w.object.Object,
		"spec", "template", "spec", "serviceAccountName")
	kind := other.object.object.GetKind()
	return kind == "Secret" || kind == "ServiceAccount" && account == other.object.object.GetName()
}

// reads reports whether the workload's Pods read a changed ConfigMap or Secret when they start.
func (w *wanted) reads(other Difference) bool {
	if other.Verdict != Changed || other.changed.IsZero() ||
		w.resolveNamespace() != other.object.resolveNamespace() {
		return false
	}
	template, _, _ := unstructured.NestedFieldNoCopy(w.object.Object, "spec", "template", "spec")
	switch name := other.object.object.GetName(); other.object.object.GetKind() {
	case "ConfigMap":
		return refersTo(template, name, "configMap", "configMapRef", "configMapKeyRef")
	case "Secret":
		return refersTo(template, name, "secret", "secretRef", "secretKeyRef")
	}
	return false
}

// refersTo reports whether a part of a Pod's specification refers to an object by one of the keys,
// such as secretKeyRef.
func refersTo(part any, name string, keys ...string) bool {
	switch part := part.(type) {
	case []any:
		return slices.ContainsFunc(part, func(item any) bool {
			return refersTo(item, name, keys...)
		})
	case map[string]any:
		for key, value := range part {
			object, _ := value.(map[string]any)
			if slices.Contains(keys, key) && (object["name"] == name || object["secretName"] == name) ||
				refersTo(value, name, keys...) {
				return true
			}
		}
	}
	return false
}
