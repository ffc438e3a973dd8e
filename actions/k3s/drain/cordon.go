package drain

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Annotation marks a Node that Strata has cordoned. Its value is the version of the upgrade. A Node
// that a user has cordoned lacks the annotation, so Strata does not uncordon it after the upgrade.
const Annotation = "strata.dev/upgrading-to"

// Cordon cordons a node and sets Annotation, unless a user has cordoned the node already.
func Cordon(ctx context.Context, client kubernetes.Interface, name, version string) error {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("cordon %s: %w", name, err)
	}
	if _, ours := node.Annotations[Annotation]; node.Spec.Unschedulable && !ours {
		return nil
	}
	return patch(ctx, client, name, true, &version)
}

// Uncordon uncordons a node that has Annotation, and removes the annotation. It does not change
// other nodes.
func Uncordon(ctx context.Context, client kubernetes.Interface, name string) error {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("uncordon %s: %w", name, err)
	}
	if _, ours := node.Annotations[Annotation]; !ours {
		return nil
	}
	return patch(ctx, client, name, false, nil)
}

// patch sets the cordon and Annotation in one request, so that a kill cannot leave a cordon without
// the annotation.
func patch(
	ctx context.Context, client kubernetes.Interface, name string, cordoned bool, mark *string,
) error {
	change, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{Annotation: mark}},
		"spec":     map[string]any{"unschedulable": cordoned},
	})
	if err != nil {
		return err
	}
	if _, err := client.CoreV1().Nodes().
		Patch(ctx, name, types.MergePatchType, change, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("set unschedulable of node %s to %t: %w", name, cordoned, err)
	}
	return nil
}
