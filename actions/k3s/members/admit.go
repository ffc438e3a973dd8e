package members

import (
	"context"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
)

// Admission is the input of Admit, which prepares the cluster for a host that joins.
type Admission struct {
	// Timeout bounds the command.
	Timeout metav1.Duration `json:"timeout"`
	// Node is the host that is about to join.
	Node Member `json:"node"`
	// Servers are the cluster's servers other than Node.
	Servers []Member `json:"servers"`
	// Owner owns the cluster. The kubeconfig is not read from a host of another owner.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Founds is the stack's name if the node may start a new cluster, which is only the first
	// server. It is empty for other nodes: they install after the first server, so they always find
	// a cluster.
	Founds string `json:"founds,omitempty"`
	// Past returns the traces of the stack's cluster. It is called only for a first server without
	// K3s.
	Past func(ctx context.Context, stack string) (Past, error) `json:"-"`
	// none is true if the stack's state has no trace of a cluster.
	none bool
}

// Admit removes the host that had the node's name before from the cluster, so that the new host can
// join under the same name. It does nothing if the host has K3s already. key is the SSH private
// key.
func (a Admission) Admit(ctx context.Context, key []byte, log io.Writer) error {
	fresh, err := Fresh(ctx, a.Node, key)
	if err != nil || !fresh {
		return err
	}
	if a.Founds != "" {
		past, err := a.Past(ctx, a.Founds)
		if err != nil {
			return err
		}
		a.none = !past.Cluster
	}
	text, err := a.Kubeconfig(ctx, key)
	if err != nil || text == nil {
		return err // no error and no kubeconfig means that there is no cluster yet
	}
	// K3s's own kubeconfig names no tunnel.
	client, err := apiserver.Access{Kubeconfig: text, Servers: urlsOf(a.Servers),
		Tunnel: tunnelTo(a.Servers)}.Client()
	if err != nil {
		return fmt.Errorf("API of a server: %w", err)
	}
	remover := &Remover{Client: client, Servers: a.Servers, SSHKey: key, Log: log}
	return remover.Clear(ctx, a.Node)
}

// Fresh reports whether a host has neither K3s nor a snapshot to restore. A host with K3s is still
// a member, even if its role is to change; its install refuses that change. A host with a snapshot
// starts the restored cluster itself, so there is no cluster from which an old member could be
// removed.
func Fresh(ctx context.Context, node Member, key []byte) (bool, error) {
	text, err := k3shost.Run(ctx, node.Target, key, freshScript)
	return text == "", err
}

const freshScript = `for unit in k3s k3s-agent; do
	if [ -e "/etc/systemd/system/$unit.service" ]; then echo member; fi
done
if [ -e ` + Snapshot + ` ]; then echo restored; fi`

// Clear removes the traces of a dead host: its etcd member, its Node with its Pods, and its node
// password. Otherwise K3s would reject the host that replaces it ("duplicate node name found",
// "Node password rejected"). It fails if the former host is still Ready at another address.
func (r *Remover) Clear(ctx context.Context, member Member) error {
	node, err := r.node(ctx, member)
	if err != nil {
		return err
	}
	if node == nil {
		return r.forget(ctx, member) // the password may have outlived the Node
	}
	if at := apiserver.InternalIP(node); apiserver.Ready(node) && at != member.Address {
		return fmt.Errorf("node %s is Ready at %s, and its host is to be replaced by %s; stop "+
			"the old one first (systemctl disable --now k3s k3s-agent there), or give the new one another name",
			member.Name, at, member.Address)
	}
	// The Node's labels tell whether the old host was a server, because the new host may have
	// another role than the old one.
	_, inEtcd := node.Labels[etcdLabel]
	if inEtcd = inEtcd && !outOfEtcd(node); inEtcd {
		if err := r.keepsQuorum(ctx, member); err != nil {
			return err
		}
	}
	r.say(member, "was another host; that one is taken out of the cluster")
	if err := r.evacuate(ctx, member); err != nil {
		return err
	}
	if inEtcd {
		if err := r.removeFromEtcd(ctx, member); err != nil {
			return err
		}
	}
	if err := r.forget(ctx, member); err != nil {
		return err
	}
	if err := r.awaitNodeDeletion(ctx, member); err != nil {
		return err
	}
	r.say(member, "is free for its new host")
	return nil
}

// evacuate force-deletes the Pods of a dead host. An eviction would wait for the host's kubelet,
// and so would the controllers that replace the Pods.
func (r *Remover) evacuate(ctx context.Context, member Member) error {
	pods, err := apiserver.List(ctx, r.Client.CoreV1().Pods(metav1.NamespaceAll),
		metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("spec.nodeName", member.Name).String(),
		})
	if err != nil {
		return fmt.Errorf("pods of %s: %w", member.Name, err)
	}
	now := int64(0)
	for _, pod := range pods.Items {
		err := apiserver.Insist(ctx, func(ctx context.Context) error {
			return ignoreNotFound(r.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name,
				metav1.DeleteOptions{
					GracePeriodSeconds: &now,
					Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
				}))
		})
		if err != nil {
			return fmt.Errorf("delete pod %s/%s of %s: %w", pod.Namespace, pod.Name,
				member.Name, err)
		}
	}
	return nil
}
