package podcheck

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"strata/artifacts/manifest"
)

// related holds the objects that the rules about a Pod need.
type related struct {
	// issued has the certificates' Secrets, as NAMESPACE/NAME.
	issued   map[string]bool
	services []corev1.Service
	budgets  []policyv1.PodDisruptionBudget
	// leastReplicas are the minReplicas of HorizontalPodAutoscalers, by NAMESPACE/KIND/NAME.
	leastReplicas map[string]int64
}

// relate collects the related objects. It ignores malformed objects, because the API server would
// refuse them.
func relate(objects []manifest.Manifest) related {
	r := related{issued: map[string]bool{}, leastReplicas: map[string]int64{}}
	for _, o := range objects {
		group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
		switch {
		case group == "cert-manager.io" && o.GetKind() == "Certificate":
			name, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
			r.issued[namespaceOf(o)+"/"+name] = true
		case group == "v1" && o.GetKind() == "Service":
			r.services = appendTyped(r.services, o)
		case group == "policy" && o.GetKind() == "PodDisruptionBudget":
			r.budgets = appendTyped(r.budgets, o)
		case group == "autoscaling" && o.GetKind() == "HorizontalPodAutoscaler":
			kind, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "kind")
			name, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "name")
			least, found, err := unstructured.NestedInt64(o.Object, "spec", "minReplicas")
			if !found || err != nil {
				least = 1 // Kubernetes' default
			}
			r.leastReplicas[namespaceOf(o)+"/"+kind+"/"+name] = least
		}
	}
	return r
}

// appendTyped appends an object as its Go type, with its namespace.
func appendTyped[T any](all []T, o manifest.Manifest) []T {
	var typed T
	named := o.DeepCopy()
	named.SetNamespace(namespaceOf(o))
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(named.Object,
		&typed); err != nil {
		return all
	}
	return append(all, typed)
}

// servicesOf returns the Services that select a subject's Pods. others is true if the subject's
// namespace has any Service in the files.
func (r related) servicesOf(s *subject) (selecting []corev1.Service, others bool) {
	for _, service := range r.services {
		selector := service.Spec.Selector
		if service.Namespace != namespaceOf(s.Manifest) || len(selector) == 0 {
			continue
		}
		others = true
		if labels.SelectorFromSet(selector).Matches(labels.Set(s.labels)) {
			selecting = append(selecting, service)
		}
	}
	return selecting, others
}

// budgetsOf returns the disruption budgets that select a subject's Pods.
func (r related) budgetsOf(s *subject) []policyv1.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(r.budgets), func(one policyv1.PodDisruptionBudget) bool {
		selector, err := metav1.LabelSelectorAsSelector(one.Spec.Selector)
		return err != nil || one.Namespace != namespaceOf(s.Manifest) ||
			!selector.Matches(labels.Set(s.labels))
	})
}

// targets returns the target ports of Services, by number and by name.
func targets(services []corev1.Service) []string {
	found := map[string]bool{}
	for _, service := range services {
		for _, port := range service.Spec.Ports {
			target := port.TargetPort
			if target.StrVal == "" && target.IntVal == 0 {
				target.IntVal = port.Port
			}
			found[target.String()] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
