package await

import (
	"context"
	"fmt"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// podProblems are the reasons of the Pods that the object's selector matches.
func podProblems(ctx context.Context, view *view) []string {
	fields, found, _ := unstructured.NestedMap(view.object.Object, "spec", "selector")
	if !found {
		return nil
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &selector); err != nil {
		return nil
	}
	unique := map[string]bool{}
	for _, item := range view.list(ctx, pods, metav1.FormatLabelSelector(&selector)) {
		for _, problem := range containerProblems(&item) {
			unique[problem] = true
		}
	}
	problems := make([]string, 0, len(unique))
	for problem := range unique {
		problems = append(problems, problem)
	}
	sort.Strings(problems)
	return problems
}

// containerProblems are why a Pod is not scheduled and why its containers wait
// or ended.
func containerProblems(pod *unstructured.Unstructured) []string {
	var problems []string
	if entry := find(pod, "PodScheduled"); text(entry, "status") == "False" {
		problems = append(problems, fmt.Sprintf("[Pod %s/%s]: %s", pod.GetNamespace(), pod.GetName(), text(entry, "message")))
	}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", list)
		for _, entry := range statuses {
			status, _ := entry.(map[string]any)
			problems = append(problems, containerProblem(pod, status)...)
		}
	}
	return problems
}

func containerProblem(pod *unstructured.Unstructured, status map[string]any) []string {
	for _, state := range []string{"waiting", "terminated"} {
		fields, found, _ := unstructured.NestedMap(status, "state", state)
		reason := text(fields, "reason")
		if found && reason != "Completed" && reason != "ContainerCreating" && reason != "PodInitializing" {
			return []string{fmt.Sprintf("[Pod %s/%s]: containers with unready status: [%s] -- [%s] %s",
				pod.GetNamespace(), pod.GetName(), text(status, "name"), reason, text(fields, "message"))}
		}
	}
	return nil
}
