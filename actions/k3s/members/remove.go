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

// These limits bound the steps that depend on the leaving host or its Pods. A step that times out
// is logged, and the removal continues, unless the host is alive and would join again.
const (
	drainLimit = 2 * time.Minute
	stopLimit  = 30 * time.Second
	// livingLimit replaces stopLimit for a host whose Node is Ready. A loaded sshd needs more than
	// stopLimit for a login.
	livingLimit = 3 * time.Minute
	// etcdLimit bounds the removal of the etcd member and of the Node's finalizer, which K3s does
	// on the servers that hold two leases of 45 s. A holder that leaves etcd does not release its
	// lease: a server that removes itself is out after 46 to 47 s (seen on v1.34.2;
	// rancher/wrangler pkg/leader/leader.go). The rest of the time is for an API server that has
	// just lost etcd's leader, and for slow disks.
	etcdLimit = 2 * time.Minute
	// etcdPatience is the time after which a waiting removal logs the server that it waits for. A
	// server that holds the lease removes another server's member within a second or two.
	etcdPatience = 5 * time.Second
	// holderLimit bounds the read of the lease, which only serves messages and the order of
	// removals.
	holderLimit = 3 * time.Second
)

// Remover removes nodes through the cluster's API.
type Remover struct {
	// Client connects to a server that stays in the cluster.
	Client kubernetes.Interface
	// Servers lists the servers that stay in the cluster.
	Servers []Member
	// SSHKey is the SSH private key for the hosts.
	SSHKey []byte
	// Owner owns the cluster. Hosts of another owner are not changed.
	Owner *k3shost.Owner
	// Log receives a line for each step.
	Log io.Writer
	// Patience is the time until a wait for K3s logs its reason. Default: 5 s.
	Patience time.Duration
}

func (r *Remover) patience() time.Duration {
	if r.Patience > 0 {
		return r.Patience
	}
	return etcdPatience
}

// Remove removes one node from the cluster: it drains the node, stops its K3s, and deletes its etcd
// member, Node and node password.
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

// takeOut drains a Node, or deletes its Pods if its host is dead, and removes its etcd member.
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

// drain runs kubectl drain on a server that stays; Pods that cannot be evicted in time are lost
// with the node, and a failure is only logged. kubectl is not linked, because its drain brings the
// whole command line.
func (r *Remover) drain(ctx context.Context, member Member) {
	ctx, cancel := context.WithTimeout(ctx, drainLimit+stopLimit)
	defer cancel()
	client, server, err := r.anyServer(ctx)
	if err != nil {
		r.say(member, "could not be drained: %v", err)
		return
	}
	defer func() { _ = client.Close() }()
	// Without --cache-dir, kubectl's cache would stay in root's home.
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

// anyServer connects over SSH to the first staying server that answers, and returns its name.
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

// hold disables the automatic restart of K3s on the leaving host. K3s exits when its etcd member is
// removed, and systemd would restart it as a new member within seconds. The drop-in is in /run, so
// after a failed removal a reboot makes the node a normal member again.
func (r *Remover) hold(ctx context.Context, member Member, lives bool) error {
	return r.onHost(ctx, member, lives, "could not be kept from restarting", `
dir=/run/systemd/system/$unit.service.d
mkdir -p "$dir"
printf '[Service]\nRestart=no\n' > "$dir/90-strata-leaving.conf"
systemctl daemon-reload`)
}

// stop stops K3s on the leaving host and disables its unit. Otherwise the host would register
// itself again, now or after a reboot, until the uninstall at the end of the run. The install of a
// node that returns enables the unit.
func (r *Remover) stop(ctx context.Context, member Member, lives bool) error {
	return r.onHost(ctx, member, lives, "could not be stopped", `systemctl disable --now "$unit"`)
}

// onHost runs a script on the leaving host if it has K3s. If the host does not answer, it only
// writes a log line, so that the removal of the Node continues. If the Node was Ready, the host is
// alive and would join again at its next start, so onHost fails.
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
