package podcheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"strata/artifacts/manifest"
)

// related holds the objects that the rules about a Pod need.
type related struct {
	// namespace is the namespace of the objects that name none.
	namespace string
	// issued has the Secrets of Certificates, as NAMESPACE/NAME.
	issued   map[string]bool
	services []corev1.Service
	budgets  []policyv1.PodDisruptionBudget
	// leastReplicas are the minReplicas of HorizontalPodAutoscalers, by NAMESPACE/KIND/NAME.
	leastReplicas map[string]int32
	// unread has the kinds with an object that cannot be read, as NAMESPACE/KIND.
	unread map[string]bool
}

// relate collects the related objects, and records those that cannot be read.
func (c *checker) relate(objects []manifest.Manifest) {
	c.related = related{namespace: findNamespace(objects), issued: map[string]bool{},
		leastReplicas: map[string]int32{}, unread: map[string]bool{}}
	for _, o := range objects {
		if wrong := c.related.add(o); len(wrong) > 0 {
			c.refuse(o, wrong...)
			c.related.unread[c.related.namespaceOf(o)+"/"+o.GetKind()] = true
		}
	}
}

// add adds an object if a rule needs it. It returns an error for each field that cannot be read.
func (r *related) add(o manifest.Manifest) (wrong []error) {
	namespace := r.namespaceOf(o)
	switch o.GroupVersionKind().GroupKind().String() {
	case "Certificate.cert-manager.io":
		name, _, err := unstructured.NestedString(o.Object, "spec", "secretName")
		if err != nil {
			return []error{err}
		}
		r.issued[namespace+"/"+name] = true
	case "Service":
		var one corev1.Service
		wrong = convert(nil, o.Object, &one)
		one.Namespace = namespace
		r.services = append(r.services, one)
	case "PodDisruptionBudget.policy":
		var one policyv1.PodDisruptionBudget
		wrong = convert(nil, o.Object, &one)
		if _, err := metav1.LabelSelectorAsSelector(one.Spec.Selector); err != nil {
			wrong = append(wrong, fmt.Errorf("spec.selector: %w", err))
		}
		if _, err := countEvictable(one.Spec, 2); err != nil {
			wrong = append(wrong, fmt.Errorf("spec.maxUnavailable or minAvailable: %w", err))
		}
		one.Namespace = namespace
		r.budgets = append(r.budgets, one)
	case "HorizontalPodAutoscaler.autoscaling":
		var one autoscalingv1.HorizontalPodAutoscaler
		wrong = convert(nil, o.Object, &one)
		target := one.Spec.ScaleTargetRef
		r.leastReplicas[namespace+"/"+target.Kind+"/"+target.Name] =
			*cmp.Or(one.Spec.MinReplicas, &defaultReplicas)
	}
	return wrong
}

// findNamespace returns the namespace to assume for objects that name none: that of all other
// objects, or default if these differ. `helm template` writes a namespace only where the chart
// names one.
func findNamespace(objects []manifest.Manifest) string {
	kinds := []string{"Service", "PodDisruptionBudget", "Certificate", "HorizontalPodAutoscaler"}
	named := map[string]bool{}
	for _, o := range objects { // not all kinds: a Role, for example, may be in kube-system
		if slices.Contains(kinds, o.GetKind()) || len(specifications(nil, o.Object)) > 0 {
			named[o.GetNamespace()] = true
		}
	}
	delete(named, "")
	if names := slices.Collect(maps.Keys(named)); len(names) == 1 {
		return names[0]
	}
	return metav1.NamespaceDefault
}

// namespaceOf returns an object's namespace.
func (r related) namespaceOf(o manifest.Manifest) string {
	return cmp.Or(o.GetNamespace(), r.namespace)
}

// servicesOf returns the Services that select a subject's Pods. others is true if the subject's
// namespace has any Service in the files.
func (r related) servicesOf(s *subject) (selecting []corev1.Service, others bool) {
	for _, service := range r.services {
		selector := service.Spec.Selector
		if service.Namespace != s.namespace || len(selector) == 0 {
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
		return err != nil || one.Namespace != s.namespace ||
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
