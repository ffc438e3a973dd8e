package members

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
)

// Admission decides whether a host may join under its name.
type Admission struct {
	// Timeout bounds the answer.
	Timeout metav1.Duration `json:"timeout"`
	// Node is the host that is about to join.
	Node Member `json:"node"`
	// Servers are the other servers.
	Servers []Member `json:"servers"`
	// Owner owns the cluster. The kubeconfig of another owner's cluster is not read.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Founds names the stack whose cluster the node starts if there is none. It is empty for all
	// nodes but the first server: they wait for that server, so they always find a cluster.
	Founds string `json:"founds,omitempty"`
	// Past reads the stack's past. It is called only for a first server without K3s.
	Past func(ctx context.Context, stack string) (Past, error) `json:"-"`
	// none is true if the state shows no cluster.
	none bool
}

// Admit frees the node's name from the host that had it before, unless the new host already has a
// K3s of its own. key logs in to hosts.
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
// the member that it was, even if it is to have another role: its install refuses that, and until
// then it serves. A host with a snapshot brings the cluster, which no other host has.
func Fresh(ctx context.Context, node Member, key []byte) (bool, error) {
	text, err := k3shost.Run(ctx, node.Target, key, freshScript)
	return text == "", err
}

const freshScript = `for unit in k3s k3s-agent; do
	if [ -e "/etc/systemd/system/$unit.service" ]; then echo member; fi
done
if [ -e ` + Snapshot + ` ]; then echo restored; fi`

// Clear frees a name from a host that is gone. It removes the host's etcd member, its Node with its
// Pods, and its password. Otherwise the host that comes in its place would be refused ("duplicate
// node name found", "Node password rejected").
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
	// The Node knows whether the old host was a server; the new one may have another role.
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

// evacuate deletes the Pods of a host that is gone. An eviction, and the Pods' controllers, would
// wait for the host's kubelet.
func (r *Remover) evacuate(ctx context.Context, member Member) error {
	var pods *corev1.PodList
	err := apiserver.Insist(ctx, func(ctx context.Context) (err error) {
		pods, err = r.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("spec.nodeName", member.Name).String(),
		})
		return err
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
