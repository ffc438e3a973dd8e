package members

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/apiserver"
)

// ApplySettings gives the Nodes of wanted members their labels and taints, and removes former ones
// of the previous set. K3s sets both when a Node registers, adds labels at an agent's start, and
// never removes one (rancher/rke2#7152).
func ApplySettings(ctx context.Context, client kubernetes.Interface, previous, wanted Set) error {
	had := map[string]apiserver.NodeSettings{}
	for _, member := range previous.Members {
		had[member.Name] = member.NodeSettings
	}
	for _, member := range wanted.Members {
		if err := applySettings(ctx, client, member, had[member.Name]); err != nil {
			return fmt.Errorf("layer k3s: labels and taints of node %s: %w", member.Name, err)
		}
	}
	return nil
}

// applySettings writes the Node as it was read, because its taints are one list that other programs
// write as well. A member that has not joined yet registers with its own settings.
func applySettings(
	ctx context.Context, client kubernetes.Interface, member Member, before apiserver.NodeSettings,
) error {
	if before.IsEmpty() && member.IsEmpty() {
		return nil
	}
	nodes := client.CoreV1().Nodes()
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		return apiserver.Insist(ctx, func(ctx context.Context) error {
			node, err := nodes.Get(ctx, member.Name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			if err != nil || !member.Replace(before, node) {
				return err
			}
			_, err = nodes.Update(ctx, node, metav1.UpdateOptions{FieldManager: "strata"})
			return err
		})
	})
}
