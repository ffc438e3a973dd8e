package members

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"strata/config"
	"strata/internal/remote"
)

// The bounds of the steps that depend on the leaving host or its Pods; what they leave undone is said and does not stop the
// removal.
const (
	drainLimit = 2 * time.Minute
	stopLimit  = 30 * time.Second
	etcdLimit  = time.Minute
)

// removeAnnotation asks K3s to take a server's etcd member out; K3s answers with removedAnnotation
// (k3s-io/k3s pkg/etcd/member_controller.go, pkg/etcd/etcd.go).
const (
	removeAnnotation  = "etcd.k3s.cattle.io/remove"
	removedAnnotation = "etcd.k3s.cattle.io/removed-node-name"
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
}

// Remove takes one node out of the cluster.
func (r *Remover) Remove(ctx context.Context, member Member) error {
	node, err := r.Client.CoreV1().Nodes().Get(ctx, member.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		r.say(member, "has no Node any more")
	case err != nil:
		return fmt.Errorf("node %s: %w", member.Name, err)
	default:
		r.drain(ctx, member)
		r.hold(ctx, member)
		if member.Role == "server" && node.Annotations[removedAnnotation] == "" {
			if err := r.removeFromEtcd(ctx, member); err != nil {
				return err
			}
		}
	}
	r.stop(ctx, member)
	if err := r.forget(ctx, member); err != nil {
		return err
	}
	r.say(member, "is out of the cluster")
	return nil
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
	script := fmt.Sprintf("k3s kubectl drain %s --ignore-daemonsets --delete-emptydir-data --force --timeout=%s",
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

// removeFromEtcd has K3s remove the server's etcd member and waits until it says so: a member that is only stopped still
// counts for the quorum.
func (r *Remover) removeFromEtcd(ctx context.Context, member Member) error {
	ctx, cancel := context.WithTimeout(ctx, etcdLimit)
	defer cancel()
	nodes := r.Client.CoreV1().Nodes()
	watcher, err := nodes.Watch(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", member.Name).String()})
	if err != nil {
		return fmt.Errorf("watch node %s: %w", member.Name, err)
	}
	defer watcher.Stop()
	patch := []byte(`{"metadata":{"annotations":{"` + removeAnnotation + `":"true"}}}`)
	if _, err := nodes.Patch(ctx, member.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("ask K3s to remove the etcd member of %s: %w", member.Name, err)
	}
	for event := range watcher.ResultChan() {
		annotated, ok := event.Object.(metav1.Object)
		if event.Type == watch.Deleted || ok && annotated.GetAnnotations()[removedAnnotation] != "" {
			r.say(member, "is no etcd member any more")
			return nil
		}
	}
	return fmt.Errorf("etcd member of %s was not removed within %s; the other servers need a quorum: k3s kubectl get nodes -l node-role.kubernetes.io/etcd", member.Name, etcdLimit)
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

// forget deletes the Node and the Secret that ties the name to the old host's password; with it the name is free again
// (k3s-io/k3s#802).
func (r *Remover) forget(ctx context.Context, member Member) error {
	err := r.Client.CoreV1().Nodes().Delete(ctx, member.Name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete node %s: %w", member.Name, err)
	}
	secret := member.Name + ".node-password.k3s"
	err = r.Client.CoreV1().Secrets(metav1.NamespaceSystem).Delete(ctx, secret, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete secret %s: %w", secret, err)
	}
	return nil
}

func (r *Remover) say(member Member, format string, args ...any) {
	_, _ = fmt.Fprintf(r.Log, "members: "+member.Name+" "+format+"\n", args...)
}
