package kube

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"strata/health"
)

// observeAdmission sets Admitted: it asks the API server by a dry run to create a Pod of the
// workload. Without the right to create Pods, as with the read-only kubeconfig, Admitted is false.
func (w *WorkloadFacts) observeAdmission(ctx context.Context, s *APIServer) {
	pod, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: w.Name + "-", Namespace: w.Namespace,
			Labels: w.template.Labels, Annotations: w.template.Annotations},
		Spec: w.template.Spec})
	if err != nil {
		return
	}
	_, err = s.Dyn.Resource(PodResource).Namespace(w.Namespace).Create(ctx,
		&unstructured.Unstructured{Object: pod},
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	w.Admitted = err == nil
}

// judgeAdmitted judges a workload whose Pods were refused for a reason that is gone. Its controller
// doubles the pause between two attempts up to 1000 seconds (client-go util/workqueue,
// DefaultTypedControllerRateLimiter).
func (w WorkloadFacts) judgeAdmitted(v *health.Verdict) {
	v.Message += "; Pods were refused: " + w.Refused
	v.Cause = "the reason is gone, and the controller tries again within 17 minutes"
	v.Hint = fmt.Sprintf("at once: kubectl -n %s rollout restart %s %s", w.Namespace,
		strings.ToLower(w.Kind), w.Name)
}
