package members

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/conflict"
)

// ApplySettings sets the labels and taints of the wanted members on their Nodes, and removes those
// that only the previous set had. K3s itself sets both only when a Node registers, adds labels when
// an agent starts, and never removes any (rancher/rke2#7152).
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

// applySettings updates one Node. It sends the whole Node with its resource version, because the
// taints are one list that other programs change too. It skips a Node that does not exist yet,
// because K3s registers it with its settings.
func applySettings(
	ctx context.Context, client kubernetes.Interface, member Member, before apiserver.NodeSettings,
) error {
	if before.IsEmpty() && member.IsEmpty() {
		return nil
	}
	nodes := client.CoreV1().Nodes()
	return conflict.Retry(retry.DefaultBackoff, func() error {
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
