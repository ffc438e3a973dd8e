package kube

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"strata/health"
)

// refusal is a reason why Pods are not created.
type refusal struct {
	words *regexp.Regexp
	cause string
	// hint is the fix; NAMESPACE stands for the workload's namespace. Empty: the workload's usual
	// hint.
	hint string
	// stuck is true if waiting does not help.
	stuck bool
}

// OtherWebhookHint is the fix for an admission webhook that something else installed.
const OtherWebhookHint = "mend what serves it, or take its configuration away: kubectl get " +
	"validatingwebhookconfiguration,mutatingwebhookconfiguration"

// refusals match the error messages of the API server's admission (kubernetes plugin/pkg/admission,
// staging/src/k8s.io/apiserver/pkg/admission). If a cause ends in a colon, the pattern's first
// group is appended.
var refusals = []refusal{
	{regexp.MustCompile(`because it is being terminated`), "the namespace is being deleted",
		"", false},
	{regexp.MustCompile(`exceeded quota`), "exceeded quota",
		"kubectl -n NAMESPACE get resourcequota; raise it, or ask for less", true},
	{regexp.MustCompile(`violates PodSecurity`), "violates PodSecurity",
		"kubectl get namespace NAMESPACE --show-labels; set pod-security.kubernetes.io/enforce, " +
			"or what the Pods ask for", true},
	{regexp.MustCompile(`must specify limits`), "must specify limits",
		"kubectl -n NAMESPACE get resourcequota", true},
	{regexp.MustCompile(`must specify requests`), "must specify requests",
		"kubectl -n NAMESPACE get resourcequota", true},
	{regexp.MustCompile(`(?:maximum|minimum) \S+ usage per|max limit to request ratio per`),
		"the Pods' resources are outside a LimitRange of the namespace",
		"kubectl -n NAMESPACE get limitrange -o yaml", true},
	{regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)'`),
		"an admission policy refuses the Pods:",
		"kubectl get validatingadmissionpolicy,validatingadmissionpolicybinding", true},
	{regexp.MustCompile(`admission webhook "([^"]+)" denied`),
		"an admission webhook refuses the Pods:",
		"kubectl get validatingwebhookconfiguration,mutatingwebhookconfiguration", false},
	{regexp.MustCompile(`failed calling webhook "([^"]+)"`),
		"an admission webhook that must be asked does not answer:",
		OtherWebhookHint, false},
	{regexp.MustCompile(`serviceaccount "([^"]+)" not found`),
		"the ServiceAccount of the Pods does not exist (yet):",
		"kubectl -n NAMESPACE get serviceaccounts", false},
}

func (w WorkloadFacts) judgeRefusal(v *health.Verdict) {
	v.Message += "; Pods are refused: " + w.Refused
	v.Evidence = []string{w.Refused}
	for _, r := range refusals {
		found := r.words.FindStringSubmatch(w.Refused)
		if found == nil {
			continue
		}
		v.Cause = strings.Join(append([]string{r.cause}, found[1:]...), " ")
		if r.hint != "" {
			v.Hint = strings.ReplaceAll(r.hint, "NAMESPACE", w.Namespace)
		}
		if r.stuck {
			v.State = health.Stuck
		}
		break
	}
	if w.Within != "" {
		v.Cause = w.Within
	}
	w.hintWithin(v)
}

// hintWithin sets the hint if the namespace causes the refusal.
func (w WorkloadFacts) hintWithin(v *health.Verdict) {
	if strings.Contains(w.Within, "is being deleted") {
		v.Hint = "kubectl get namespace " + w.Namespace +
			" -o yaml; what its conditions name has to go, or to lose its finalizers"
	}
}

// holding lists the conditions of a namespace that name an obstacle to its deletion (kubernetes
// pkg/controller/namespace/deletion).
var holding = []corev1.NamespaceConditionType{
	corev1.NamespaceFinalizersRemaining, corev1.NamespaceContentRemaining,
	corev1.NamespaceDeletionDiscoveryFailure,
	corev1.NamespaceDeletionGVParsingFailure, corev1.NamespaceDeletionContentFailure,
}

// observeNamespace reads the reason why the namespace does not admit the workload.
func (w *WorkloadFacts) observeNamespace(ctx context.Context, s *APIServer) error {
	namespace, err := Get[corev1.Namespace](ctx, s, NamespaceResource, "", w.Namespace)
	switch {
	case err != nil:
		return err
	case namespace == nil:
		w.Within = "namespace " + w.Namespace + " does not exist"
	case namespace.DeletionTimestamp != nil:
		w.Within = fmt.Sprintf("namespace %s is being deleted%s", w.Namespace,
			heldBy(namespace.Status.Conditions))
	}
	return nil
}

// heldBy returns the reason why a namespace is still being deleted, as text to append; empty if
// none is known. It prefers remaining finalizers to other obstacles.
func heldBy(conditions []corev1.NamespaceCondition) string {
	for _, kind := range holding {
		for _, c := range conditions {
			if c.Type == kind && c.Status == corev1.ConditionTrue {
				return ": " + c.Message
			}
		}
	}
	return ""
}
