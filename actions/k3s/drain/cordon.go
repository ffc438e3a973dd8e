package drain

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Annotation marks a Node that Strata has cordoned, with the version that it is being upgraded to.
// A node that another user had cordoned before does not have it, and stays cordoned.
const Annotation = "strata.dev/upgrading-to"

// Cordon keeps new Pods off a node and marks it as ours, unless it is cordoned already.
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

// Uncordon lets Pods onto a node again if Cordon has marked it. It leaves any other node as it is.
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

// patch sets the cordon and its mark at once, so that a kill in between cannot leave a cordon
// without an owner.
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
