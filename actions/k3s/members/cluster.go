package members

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"

	"strata/internal/kube/apiserver"
)

// removeAnnotation on a Node makes K3s remove the server's etcd member. K3s then sets
// removedAnnotation to the member's name, and deletes memberAnnotation, which a server sets when it
// joins (k3s-io/k3s pkg/etcd/member_controller.go, pkg/etcd/metadata_controller.go).
const (
	removeAnnotation  = "etcd.k3s.cattle.io/remove"
	removedAnnotation = "etcd.k3s.cattle.io/removed-node-name"
	memberAnnotation  = "etcd.k3s.cattle.io/node-name"
)

// membersLease is the lease of the server that removes etcd members (k3s-io/k3s pkg/etcd/etcd.go,
// Register).
const membersLease = "k3s-etcd"

// outOfEtcd reports whether a Node's server was removed from etcd and has not rejoined.
// removedAnnotation alone does not prove that, because K3s keeps it when the server rejoins.
func outOfEtcd(node *corev1.Node) bool {
	removed, member := node.Annotations[removedAnnotation], node.Annotations[memberAnnotation]
	return removed != "" && (member == "" || member == removed)
}

// node returns the member's Node, or nil if it does not exist.
func (r *Remover) node(ctx context.Context, member Member) (*corev1.Node, error) {
	node, err := apiserver.Ask(ctx, func(ctx context.Context) (*corev1.Node, error) {
		return r.Client.CoreV1().Nodes().Get(ctx, member.Name, metav1.GetOptions{})
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("node %s: %w", member.Name, err)
	}
	return node, nil
}

// removeFromEtcd makes K3s remove the server's etcd member, and waits until that is done, because a
// stopped member still counts for the quorum. The patch that requests the removal also deletes
// removedAnnotation of an earlier removal. If both annotations existed, K3s would delete both and
// not remove the member.
func (r *Remover) removeFromEtcd(ctx context.Context, member Member) error {
	ctx, cancel := context.WithTimeout(ctx, etcdLimit)
	defer cancel()
	patch := []byte(`{"metadata":{"annotations":{"` + removeAnnotation + `":"true","` +
		removedAnnotation + `":null}}}`)
	err := apiserver.Insist(ctx, func(ctx context.Context) error {
		_, err := r.Client.CoreV1().Nodes().Patch(ctx, member.Name, types.MergePatchType, patch,
			metav1.PatchOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("ask K3s to remove the etcd member of %s: %w", member.Name, err)
	}
	waits := time.AfterFunc(r.patience(), func() {
		r.say(member, "is still an etcd member; %s takes it out. Where that is the leaving "+
			"server itself, the next one does when the lease has run out, after 45 s",
			r.membersHolder(ctx))
	})
	defer waits.Stop()
	if err := r.awaitNode(ctx, member, outOfEtcd); err != nil {
		return fmt.Errorf("etcd member of %s was not removed within %s by %s; the other servers "+
			"need a quorum: k3s kubectl get nodes -l node-role.kubernetes.io/etcd: %w",
			member.Name, etcdLimit, r.membersHolder(context.WithoutCancel(ctx)), err)
	}
	r.say(member, "is no etcd member any more")
	return nil
}

// membersHolder describes the holder of membersLease, for messages.
func (r *Remover) membersHolder(ctx context.Context) string {
	text := "the holder of lease kube-system/" + membersLease
	switch host, err := r.membersHost(ctx); {
	case err != nil:
		return text + " (not readable: " + err.Error() + ")"
	case host == "":
		return text + " (none for now)"
	default:
		return text + " (" + host + ")"
	}
}

// membersHost returns the host name of the holder of membersLease; "" if it has no holder.
func (r *Remover) membersHost(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, holderLimit)
	defer cancel()
	lease, err := r.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, membersLease,
		metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		return "", err
	}
	return *lease.Spec.HolderIdentity, nil
}

// awaitNodeDeletion waits until a deleted Node is gone, including K3s's finalizer. Before that, a
// new kubelet of the same name would update the old Node, which then disappears.
func (r *Remover) awaitNodeDeletion(ctx context.Context, member Member) error {
	ctx, cancel := context.WithTimeout(ctx, etcdLimit)
	defer cancel()
	if err := r.awaitNode(ctx, member, func(*corev1.Node) bool { return false }); err != nil {
		return fmt.Errorf("node %s was deleted and is still there after %s; kubectl get node %s "+
			"-o jsonpath={.metadata.finalizers}: %w", member.Name, etcdLimit, member.Name, err)
	}
	return nil
}

// awaitNode waits until the member's Node is gone, or says returns true for it. It uses a watch
// that reconnects, because API servers close their watches when etcd loses its leader, which may be
// the removed member.
func (r *Remover) awaitNode(
	ctx context.Context, member Member, says func(*corev1.Node) bool,
) error {
	nodes := apiserver.OneNode(r.Client, member.Name)
	_, err := clientwatch.UntilWithSync(ctx, nodes, &corev1.Node{},
		func(store cache.Store) (bool, error) {
			return !slices.Contains(store.ListKeys(), member.Name), nil
		}, func(event watch.Event) (bool, error) {
			node, ok := event.Object.(*corev1.Node)
			return ok && node.Name == member.Name &&
				(event.Type == watch.Deleted || says(node)), nil
		})
	return err
}

// forget deletes the Node, and the Secret with its node password. Only then can a new host join
// under the same name (k3s-io/k3s#802).
func (r *Remover) forget(ctx context.Context, member Member) error {
	ctx, cancel := context.WithTimeout(ctx, etcdLimit)
	defer cancel()
	err := apiserver.Insist(ctx, func(ctx context.Context) error {
		return r.Client.CoreV1().Nodes().Delete(ctx, member.Name, metav1.DeleteOptions{})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete node %s: %w", member.Name, err)
	}
	secret := member.Name + ".node-password.k3s"
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		return r.Client.CoreV1().Secrets(metav1.NamespaceSystem).Delete(ctx, secret,
			metav1.DeleteOptions{})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete secret %s: %w", secret, err)
	}
	return nil
}
