package await

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
		_, problems := podStep(&item)
		for _, problem := range problems {
			unique[problem] = true
		}
	}
	return slices.Sorted(maps.Keys(unique))
}

// podStep is the first of scheduled, initialized and ready that a Pod has not
// reached, as a status line, and what is wrong with it; nothing for one that has
// reached all.
func podStep(pod *unstructured.Unstructured) (waiting string, problems []string) {
	name := pod.GetName()
	if namespace := pod.GetNamespace(); namespace != "" && namespace != "default" {
		name = namespace + "/" + name
	}
	for _, step := range []struct{ condition, adjective string }{
		{"PodScheduled", "scheduled"}, {"Initialized", "initialized"}, {"Ready", "ready"},
	} {
		entry := find(pod, step.condition)
		phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
		if text(entry, "status") == "True" || (entry != nil && step.condition == "Ready" && phase == "Succeeded") {
			continue
		}
		waiting = fmt.Sprintf("Waiting for Pod %q to be %s", name, step.adjective)
		if entry == nil || step.condition == "PodScheduled" {
			return waiting, nil
		}
		containers := containerProblems(pod)
		if message := text(entry, "message"); message != "" || containers != "" {
			if text(entry, "reason") == "" {
				message = ""
			}
			problems = []string{fmt.Sprintf("[Pod %s]: %s%s", name, message, containers)}
		}
		return waiting, problems
	}
	return "", nil
}

// containerProblems says why the containers that are not ready wait or ended.
func containerProblems(pod *unstructured.Unstructured) string {
	var problems []string
	statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	for _, entry := range statuses {
		status, _ := entry.(map[string]any)
		if ready, _, _ := unstructured.NestedBool(status, "ready"); !ready {
			problems = append(problems, containerProblem(status)...)
		}
	}
	return strings.Join(problems, "\n")
}

func containerProblem(status map[string]any) []string {
	var problems []string
	if waiting, found, _ := unstructured.NestedMap(status, "state", "waiting"); found &&
		text(waiting, "reason") != "ContainerCreating" {
		problems = append(problems, fmt.Sprintf("[%s] %s", text(waiting, "reason"), text(waiting, "message")))
	}
	ended, _, _ := unstructured.NestedMap(status, "state", "terminated")
	switch code, _, _ := unstructured.NestedInt64(ended, "exitCode"); {
	case text(ended, "reason") == "":
	case text(ended, "message") != "":
		problems = append(problems, fmt.Sprintf("[%s] %s", text(ended, "reason"), text(ended, "message")))
	default:
		problems = append(problems, fmt.Sprintf("container %q completed with exit code %d", text(status, "name"), code))
	}
	if last, found, _ := unstructured.NestedMap(status, "lastState", "terminated"); found {
		code, _, _ := unstructured.NestedInt64(last, "exitCode")
		problems = append(problems, fmt.Sprintf("container %q terminated at %s (%s: exit code %d)",
			text(status, "name"), text(last, "finishedAt"), text(last, "reason"), code))
		if message := text(last, "message"); message != "" {
			problems = append(problems, message)
		}
	}
	return problems
}
