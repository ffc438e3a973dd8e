package namespace

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"strata/health"
	"strata/health/kube"
)

// ArgoFinalizer is the prefix of the finalizers by which Argo CD deletes an Application's objects
// (argo-cd pkg/apis/application/v1alpha1/application_defaults.go).
const ArgoFinalizer = "resources-finalizer.argocd.argoproj.io"

// named is the largest number of objects that a message lists.
const named = 10

// namespaceFacts describes a namespace.
type namespaceFacts struct {
	kube.APIFault
	// Deleted is the time at which the deletion began. It is empty if the namespace does not exist
	// or is not being deleted.
	Deleted string `json:"deleted,omitempty"`
	// Finalizers are the finalizers of the Namespace object itself.
	Finalizers []string `json:"finalizers,omitempty"`
	// Failing are the true conditions: each has a reason why the namespace still exists.
	Failing []kube.Condition `json:"failing,omitempty"`
	// Left are the objects that remain in the namespace, if the conditions name their resource.
	Left []object `json:"left,omitempty"`
}

// object is an object in the namespace.
type object struct {
	// Resource is the name for kubectl, for example applications.argoproj.io.
	Resource   string   `json:"resource"`
	Name       string   `json:"name"`
	Finalizers []string `json:"finalizers,omitempty"`
}

func (o object) title() string {
	if len(o.Finalizers) == 0 {
		return o.Resource + " " + o.Name
	}
	return fmt.Sprintf("%s %s (finalizers: %s)", o.Resource, o.Name,
		strings.Join(o.Finalizers, ", "))
}

// judgeNamespace is Ready if the namespace is not being deleted (any more). A namespace that is
// being deleted is never Stuck, because a controller that starts again may remove the finalizers.
func judgeNamespace(spec Spec, f namespaceFacts) []health.Verdict {
	v := health.Verdict{Check: "namespace " + spec.Name, State: health.Waiting,
		Hint: "kubectl get namespace " + spec.Name + " -o yaml"}
	switch {
	case f.Fault != nil:
		return f.FaultVerdicts(v.Check)
	case f.Deleted == "":
		return []health.Verdict{{Check: v.Check, State: health.Ready}}
	}
	v.Message = "expected its end, found it being deleted since " + f.Deleted
	var titles []string
	for _, one := range f.Left {
		titles = append(titles, one.title())
	}
	if more := len(titles) - named; more > 0 {
		titles = append(titles[:named], fmt.Sprintf("%d more", more))
	}
	if len(titles) > 0 {
		v.Message += " with " + strings.Join(titles, ", ")
	}
	var types []string
	for _, condition := range f.Failing {
		types = append(types, condition.Type)
		v.Evidence = append(v.Evidence, kube.ConditionLine(condition))
	}
	if len(types) > 0 {
		v.Message += "; conditions: " + strings.Join(types, ", ")
	}
	f.explain(spec.Name, &v)
	return []health.Verdict{v}
}

// explain sets the verdict's cause and fix.
func (f namespaceFacts) explain(name string, v *health.Verdict) {
	held := slices.IndexFunc(f.Left, func(o object) bool { return len(o.Finalizers) > 0 })
	switch {
	case f.has(corev1.NamespaceDeletionDiscoveryFailure):
		v.Cause = "an APIService does not answer, and a namespace ends once every API group has " +
			"said that nothing is in it: " +
			kube.ConditionOf(f.Failing, string(corev1.NamespaceDeletionDiscoveryFailure)).Message
		v.Hint = "kubectl describe apiservices; start what serves the group, or delete the " +
			"APIService where that is gone"
	case f.has(corev1.NamespaceDeletionContentFailure):
		v.Cause = "Kubernetes is refused a delete: " +
			kube.ConditionOf(f.Failing, string(corev1.NamespaceDeletionContentFailure)).Message
		v.Hint = "kubectl get validatingwebhookconfigurations; one whose server is gone refuses every delete"
	case slices.ContainsFunc(f.Left, func(o object) bool {
		return o.Resource == "pods" &&
			len(o.Finalizers) == 0
	}):
		v.Hint = fmt.Sprintf("kubectl -n %s get pods -o wide; Pods end within their grace "+
			"period, and those of a lost node with its Node", name)
	case held >= 0:
		f.Left[held].explain(name, v)
	case len(f.Left) == 0 && len(f.Finalizers) > 0:
		v.Cause = "the Namespace has finalizers of its own: " + strings.Join(f.Finalizers, ", ")
		v.Hint += "; its controller takes them away, or a person where that is gone"
	}
}

// explain says which program's finalizer keeps the object, and how to remove it.
func (o object) explain(namespace string, v *health.Verdict) {
	what := o.Resource + " " + o.Name
	v.Cause = fmt.Sprintf("the controller of finalizer %s is gone, or still at work on %s",
		o.Finalizers[0], what)
	lost := "what it would have cleaned up stays"
	if strings.HasPrefix(o.Finalizers[0], ArgoFinalizer) {
		v.Cause = fmt.Sprintf("Argo CD takes the finalizer of %s away, once it has deleted what "+
			"the Application manages; "+
			"where Argo CD has left, nothing does", what)
		lost = "what the Application manages stays"
	}
	v.Hint = fmt.Sprintf("kubectl -n %s describe %s; where the controller is gone (%s): %s",
		namespace, what, lost, GiveUp(namespace, what))
}

// GiveUp returns the command that removes all finalizers from an object, which is given as RESOURCE
// NAME.
func GiveUp(namespace, object string) string {
	return fmt.Sprintf(`kubectl -n %s patch %s --type json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`, namespace, object)
}

func (f namespaceFacts) has(condition corev1.NamespaceConditionType) bool {
	return kube.ConditionOf(f.Failing, string(condition)).Status != ""
}
