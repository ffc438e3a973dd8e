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
	"strata/internal/apiserver"
	"strata/internal/remote"
)

// The bounds of the steps that depend on the leaving host or its Pods; what they leave undone is reported and does not stop the
// removal.
const (
	drainLimit = 2 * time.Minute
	stopLimit  = 30 * time.Second
	// etcdLimit is for K3s's own steps in etcd and at the Node. They are done by the holders of two leases of 45 s that are not released
	// when a holder loses its etcd: a server that takes itself out is out after 46 to 47 s (seen on v1.34.2; rancher/wrangler
	// pkg/leader/leader.go). The rest is for an API server that has just lost its leader, and for slow disks.
	etcdLimit = 2 * time.Minute
	// etcdPatience is after how long a removal that is not done yet says whom it waits for: another server's takes a second or two.
	etcdPatience = 5 * time.Second
	// holderLimit bounds the request for it, which is only for the text.
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
	// Log is where each step is told.
	Log io.Writer
	// Patience is after how long a wait for K3s says what it waits for. Default: 5 s.
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
	if node == nil {
		r.say(member, "has no Node any more")
	} else if err := r.takeOut(ctx, member, node); err != nil {
		return err
	}
	r.stop(ctx, member)
	if err := r.forget(ctx, member); err != nil {
		return err
	}
	r.say(member, "is out of the cluster")
	return nil
}

// takeOut empties a Node that is still there, and ends its part in etcd.
func (r *Remover) takeOut(ctx context.Context, member Member, node *corev1.Node) error {
	server := member.Role == "server" && !outOfEtcd(node)
	if server {
		if err := r.keepsQuorum(ctx, member); err != nil {
			return err
		}
	}
	if apiserver.Ready(node) {
		r.drain(ctx, member)
	} else if err := r.evacuate(ctx, member); err != nil {
		return err
	}
	r.hold(ctx, member)
	if !server {
		return nil
	}
	return r.removeFromEtcd(ctx, member)
}

// drain moves the node's Pods away, as far as the bound allows, with the kubectl that every K3s server has: linking kubectl's
// own drain would add its whole command line to this program. What cannot be evicted in time goes with the node.
func (r *Remover) drain(ctx context.Context, member Member) {
	ctx, cancel := context.WithTimeout(ctx, drainLimit+stopLimit)
	defer cancel()
	client, err := r.anyServer(ctx)
	if err != nil {
		r.say(member, "could not be drained: %v", err)
		return
	}
	defer func() { _ = client.Close() }()
	// Its cache would stay behind in root's home when this server leaves, too.
	script := fmt.Sprintf(`cache=$(mktemp -d) && trap 'rm -rf "$cache"' EXIT
k3s kubectl --cache-dir="$cache" drain %s --ignore-daemonsets --delete-emptydir-data --force --timeout=%s`,
		remote.Quote(member.Name), drainLimit)
	if _, err := client.Run(ctx, script, nil); err != nil {
		r.say(member, "was not drained completely: %v", err)
		return
	}
	r.say(member, "is drained")
}

// anyServer connects to the first server that stays and answers.
func (r *Remover) anyServer(ctx context.Context) (*remote.Client, error) {
	var failures error
	for _, server := range r.Servers {
		attempt, cancel := context.WithTimeout(ctx, stopLimit)
		client, err := remote.Dial(attempt, server.Target, r.SSHKey)
		cancel()
		if err == nil {
			return client, nil
		}
		failures = errors.Join(failures, err)
	}
	return nil, fmt.Errorf("no server answers over SSH: %w", failures)
}

// hold keeps the leaving host's K3s from coming back by itself: a server whose etcd member is removed ends, and its unit would
// start it again as a new member within seconds. The drop-in is gone after a reboot or the uninstall.
func (r *Remover) hold(ctx context.Context, member Member) {
	r.onHost(ctx, member, "could not be kept from restarting", `
dir=/run/systemd/system/$unit.service.d
mkdir -p "$dir"
printf '[Service]\nRestart=no\n' > "$dir/90-strata-leaving.conf"
systemctl daemon-reload`)
}

// stop stops K3s on the leaving host, so that it does not register itself again.
func (r *Remover) stop(ctx context.Context, member Member) {
	r.onHost(ctx, member, "could not be stopped", `systemctl stop "$unit"`)
}

// onHost runs a script on the leaving host if K3s is there. A host that does not answer is as good as stopped: its Node goes
// all the same.
func (r *Remover) onHost(ctx context.Context, member Member, otherwise, script string) {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	client, err := remote.Dial(ctx, member.Target, r.SSHKey)
	if err != nil {
		r.say(member, otherwise+", its host does not answer: %v", err)
		return
	}
	defer func() { _ = client.Close() }()
	script = "set -eu; unit=" + config.Role(member.Role).Unit() + "\nif systemctl cat \"$unit\" >/dev/null 2>&1; then\n" + script + "\nfi"
	if _, err := client.Run(ctx, script, nil); err != nil {
		r.say(member, otherwise+": %v", err)
	}
}

func (r *Remover) say(member Member, format string, args ...any) {
	_, _ = fmt.Fprintf(r.Log, "members: "+member.Name+" "+format+"\n", args...)
}
