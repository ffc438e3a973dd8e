package await

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deployment holds when the newest ReplicaSet is available and complete.
func deployment(ctx context.Context, view *view) (bool, []string, error) {
	obj := view.object
	want := number(obj, 1, "spec", "replicas")
	updated := number(obj, 0, "status", "updatedReplicas")
	available, progressing := find(obj, "Available"), find(obj, "Progressing")
	rolledOut := text(progressing, "status") == "True" && text(progressing, "reason") == "NewReplicaSetAvailable"
	if observed(obj) && text(available, "status") == "True" && rolledOut && updated == want {
		return true, nil, nil
	}
	view.doing = fmt.Sprintf("Waiting for app ReplicaSet to be available (%d/%d Pods available)",
		number(obj, 0, "status", "readyReplicas"), want)
	var reasons []string
	for _, entry := range []map[string]any{available, progressing} {
		if entry != nil && text(entry, "status") != "True" {
			reasons = append(reasons, fmt.Sprintf("[%s] %s", text(entry, "reason"), text(entry, "message")))
		}
	}
	switch first := obj.GetAnnotations()["deployment.kubernetes.io/revision"] == "1"; {
	case text(available, "status") != "True":
		reasons = append(reasons, "Minimum number of live Pods was not attained")
	case first || !rolledOut:
		reasons = append(reasons, "Minimum number of Pods to consider the application live was not attained")
	default:
		reasons = append(reasons, "Attempted to roll forward to new ReplicaSet, but minimum number of Pods did not become live")
	}
	return false, append(reasons, podProblems(ctx, view)...), nil
}

// statefulSet holds when every Pod runs the newest revision and is ready.
func statefulSet(ctx context.Context, view *view) (bool, []string, error) {
	obj := view.object
	want := number(obj, 1, "spec", "replicas")
	ready := number(obj, 0, "status", "readyReplicas")
	current, _, _ := unstructured.NestedString(obj.Object, "status", "currentRevision")
	update, _, _ := unstructured.NestedString(obj.Object, "status", "updateRevision")
	if observed(obj) && ready == want && current == update && update != "" {
		return true, nil, nil
	}
	reasons := []string{fmt.Sprintf("%d out of %d replicas succeeded readiness checks", ready, want)}
	return false, append(reasons, podProblems(ctx, view)...), nil
}

// daemonSet holds when every scheduled Pod is updated, ready and available.
func daemonSet(ctx context.Context, view *view) (bool, []string, error) {
	obj := view.object
	want := number(obj, 0, "status", "desiredNumberScheduled")
	updated := number(obj, 0, "status", "updatedNumberScheduled")
	available := number(obj, 0, "status", "numberAvailable")
	_, scheduled, _ := unstructured.NestedFieldNoCopy(obj.Object, "status", "observedGeneration")
	if scheduled && observed(obj) && updated == want && available == want {
		return true, nil, nil
	}
	reasons := []string{fmt.Sprintf("%d out of %d Pods available", available, want)}
	return false, append(reasons, podProblems(ctx, view)...), nil
}

// job holds when it is complete and fails at once when it failed.
func job(ctx context.Context, view *view) (bool, []string, error) {
	if text(find(view.object, "Complete"), "status") == "True" {
		return true, nil, nil
	}
	if failed := find(view.object, "Failed"); text(failed, "status") == "True" {
		return false, nil, notInitialized(view.object, append([]string{explain(failed)}, podProblems(ctx, view)...))
	}
	reasons := []string{fmt.Sprintf("Waiting for Job %q to succeed (Active: %d | Succeeded: %d | Failed: %d)",
		view.object.GetName(), number(view.object, 0, "status", "active"),
		number(view.object, 0, "status", "succeeded"), number(view.object, 0, "status", "failed"))}
	return false, append(reasons, podProblems(ctx, view)...), nil
}

// pod holds when it is scheduled, initialized and ready, or has succeeded.
func pod(_ context.Context, view *view) (bool, []string, error) {
	var problems []string
	view.doing, problems = podStep(view.object)
	return view.doing == "", problems, nil
}
