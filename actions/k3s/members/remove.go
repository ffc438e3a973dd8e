package members

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"strata/config"
	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
)

// The bounds of the steps that depend on the leaving host or its Pods. An unfinished step is
// reported and does not stop the removal, unless a living host would be a member again.
const (
	drainLimit = 2 * time.Minute
	stopLimit  = 30 * time.Second
	// livingLimit is the limit for a host whose Node is Ready. When its processors are busy, sshd
	// needs more than stopLimit for a login.
	livingLimit = 3 * time.Minute
	// etcdLimit bounds K3s's own steps in etcd and at the Node. The holders of two leases of 45 s
	// take these steps. A holder that loses its etcd does not release its lease: a server that
	// removes itself is out after 46 to 47 s (seen on v1.34.2; rancher/wrangler
	// pkg/leader/leader.go). The rest is for an API server that has just lost its leader, and for
	// slow disks.
	etcdLimit = 2 * time.Minute
	// etcdPatience is the time after which an unfinished removal reports which server it waits for.
	// A removal by another server takes a second or two.
	etcdPatience = 5 * time.Second
	// holderLimit bounds the request for the lease's holder, which only the message needs.
	holderLimit = 3 * time.Second
)

// Remover removes nodes through the cluster's API.
type Remover struct {
	// Client reaches a server that stays.
	Client kubernetes.Interface
	// Servers are the servers that stay.
	Servers []Member
	// SSHKey logs in to the hosts.
	SSHKey []byte
	// Owner owns the cluster. Hosts of another owner are left alone.
	Owner *k3shost.Owner
	// Log receives a line for each step.
	Log io.Writer
	// Patience is the time until a wait for K3s names its reason. Default: 5 s.
	Patience time.Duration
}

func (r *Remover) patience() time.Duration {
	if r.Patience > 0 {
		return r.Patience
	}
	return etcdPatience
}

// Remove takes one node out of the cluster.
func (r *Remover) Remove(ctx context.Context, member Member) error {
	node, err := r.node(ctx, member)
	if err != nil {
		return err
	}
	lives := node != nil && apiserver.Ready(node)
	if node == nil {
		r.say(member, "has no Node any more")
	} else if err := r.takeOut(ctx, member, node, lives); err != nil {
		return err
	}
	if err := r.stop(ctx, member, lives); err != nil {
		return err
	}
	if err := r.forget(ctx, member); err != nil {
		return err
	}
	r.say(member, "is out of the cluster")
	return nil
}

// takeOut drains a Node that is still there, and removes its etcd member.
func (r *Remover) takeOut(ctx context.Context, member Member, node *corev1.Node, lives bool) error {
	server := member.Role == "server" && !outOfEtcd(node)
	if server {
		if err := r.keepsQuorum(ctx, member); err != nil {
			return err
		}
	}
	if lives {
		r.drain(ctx, member)
	} else if err := r.evacuate(ctx, member); err != nil {
		return err
	}
	if err := r.hold(ctx, member, lives); err != nil || !server {
		return err
	}
	return r.removeFromEtcd(ctx, member)
}

// drain moves the node's Pods away within a time. It uses the kubectl that every K3s server has:
// linking kubectl's own drain would add its whole command line to this program. Pods that cannot be
// evicted in time go with the node.
func (r *Remover) drain(ctx context.Context, member Member) {
	ctx, cancel := context.WithTimeout(ctx, drainLimit+stopLimit)
	defer cancel()
	client, server, err := r.anyServer(ctx)
	if err != nil {
		r.say(member, "could not be drained: %v", err)
		return
	}
	defer func() { _ = client.Close() }()
	// kubectl's cache would stay in root's home after this server has left, too.
	script := "set -eu\n" + r.Owner.WithNode(server).Insists() + fmt.Sprintf(`cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
k3s kubectl --cache-dir="$cache" drain %s --ignore-daemonsets --delete-emptydir-data --force --timeout=%s`,
		remote.Quote(member.Name), drainLimit)
	if _, err := client.Run(ctx, script, nil); err != nil {
		r.say(member, "was not drained completely: %v", err)
		return
	}
	r.say(member, "is drained")
}

// anyServer connects to the first server that stays and answers, and returns its name.
func (r *Remover) anyServer(ctx context.Context) (client *remote.Client, name string, err error) {
	var failures error
	for _, server := range r.Servers {
		attempt, cancel := context.WithTimeout(ctx, stopLimit)
		client, err := remote.Dial(attempt, server.Target, r.SSHKey)
		cancel()
		if err == nil {
			return client, server.Name, nil
		}
		failures = errors.Join(failures, err)
	}
	return nil, "", fmt.Errorf("no server answers over SSH: %w", failures)
}

// hold keeps the leaving host's K3s from coming back by itself. A server whose etcd member is
// removed ends, and its unit would start it again as a new member within seconds. A reboot removes
// the drop-in, so a removal that fails leaves a member that starts again.
func (r *Remover) hold(ctx context.Context, member Member, lives bool) error {
	return r.onHost(ctx, member, lives, "could not be kept from restarting", `
dir=/run/systemd/system/$unit.service.d
mkdir -p "$dir"
printf '[Service]\nRestart=no\n' > "$dir/90-strata-leaving.conf"
systemctl daemon-reload`)
}

// stop stops K3s on the leaving host and disables its unit, or the host would register itself
// again, now or after a reboot. Its uninstall comes last in a run, and a gate that fails before it
// leaves the host as it is. The install of a node that returns enables the unit.
func (r *Remover) stop(ctx context.Context, member Member, lives bool) error {
	return r.onHost(ctx, member, lives, "could not be stopped", `systemctl disable --now "$unit"`)
}

// onHost runs a script on the leaving host if the cluster's K3s is there. A host that does not
// answer counts as stopped, and its Node is removed all the same. If the Node was Ready, the host
// lives and would be a member again at its next start, so that is an error.
func (r *Remover) onHost(
	ctx context.Context, member Member, lives bool, otherwise, script string,
) error {
	limit := stopLimit
	if lives {
		limit = livingLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	unit := config.Role(member.Role).Unit()
	script = "set -eu\n" + r.Owner.WithNode(member.Name).Insists() + "unit=" + unit +
		"\nif [ -e \"/etc/systemd/system/$unit.service\" ]; then\n" + script + "\nfi"
	_, err := remote.Run(ctx, member.Target, r.SSHKey, script)
	var ended *remote.ExitError
	if err != nil && lives && !errors.As(err, &ended) {
		return fmt.Errorf("its K3s %s: %w; its Node is Ready, so it would be a member again: "+
			"stop it there (systemctl disable --now %s)"+
			" or turn the host off, and run this again", otherwise, err, unit)
	}
	if err != nil {
		r.say(member, otherwise+": %v", err)
	}
	return nil
}

func (r *Remover) say(member Member, format string, args ...any) {
	_, _ = fmt.Fprintf(r.Log, "members: "+member.Name+" "+format+"\n", args...)
}
