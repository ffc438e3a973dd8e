package datastore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// Labels, annotations and finalizers of K3s (k3s-io/k3s pkg/etcd/member_controller.go,
// pkg/node/controller.go).
const (
	RoleLabel         = "node-role.kubernetes.io/etcd"
	NameAnnotation    = "etcd.k3s.cattle.io/node-name"
	AddressAnnotation = "etcd.k3s.cattle.io/node-address"
	removeAnnotation  = "etcd.k3s.cattle.io/remove"
	removedAnnotation = "etcd.k3s.cattle.io/removed-node-name"
	// membersFinalizer and nodeFinalizer are on every Node, also on those of agents. A deleted Node
	// disappears when the holders of both leases have removed their finalizer.
	membersFinalizer  = "wrangler.cattle.io/managed-etcd-controller"
	nodeFinalizer     = "wrangler.cattle.io/node"
	promoteInterval   = 2 * time.Second
	reconcileInterval = time.Second // polling; K3s's controllers watch
)

// Leases of the two controllers. A server may hold one, both or none.
const (
	membersLease = "k3s-etcd"
	nodeLease    = "k3s"
)

// RunController promotes learners while this server leads etcd, and reconciles the Nodes while this
// server holds a lease. It checks learners every 2 s, and not every 15 s like K3s, which saves
// minutes in tests.
func (e *Etcd) RunController(ctx context.Context, core kubernetes.Interface) {
	go elect(ctx, core, membersLease, func(ctx context.Context) {
		wait.UntilWithContext(ctx, func(ctx context.Context) { e.reconcile(ctx, core, membersFinalizer, e.reconcileNode) }, reconcileInterval)
	})
	go elect(ctx, core, nodeLease, func(ctx context.Context) {
		wait.UntilWithContext(ctx, func(ctx context.Context) { e.reconcile(ctx, core, nodeFinalizer, letGo) }, reconcileInterval)
	})
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if e.leads(ctx) {
			e.promote(ctx)
		}
	}, promoteInterval)
}

func (e *Etcd) leads(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	status, err := e.client.Load().Status(ctx, Endpoint)
	return err == nil && status.Leader == status.Header.MemberId
}

// promote promotes each learner to a voting member. etcd rejects a learner that has not caught up.
func (e *Etcd) promote(ctx context.Context) {
	list, err := e.client.Load().MemberList(ctx)
	if err != nil {
		return
	}
	for _, m := range list.Members {
		if !m.IsLearner || m.Name == "" {
			continue
		}
		if _, err := e.client.Load().MemberPromote(ctx, m.ID); err != nil {
			logrus.Debugf("Learner %s is not ready: %v", m.Name, err)
			continue
		}
		logrus.Infof("Promoted learner %s", m.Name)
	}
}

// change is a controller's action on a Node that has the controller's finalizer. For a deleted
// Node, it removes the finalizer.
type change func(ctx context.Context, core kubernetes.Interface, node *corev1.Node) error

// reconcile adds a controller's finalizer to every Node that lacks it, and calls change for every
// other Node.
func (e *Etcd) reconcile(ctx context.Context, core kubernetes.Interface, finalizer string, change change) {
	nodes, err := core.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		logrus.Debugf("list nodes for %s: %v", finalizer, err)
		return
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		switch has := slices.Contains(node.Finalizers, finalizer); {
		case has:
			err = change(ctx, core, node)
		case node.DeletionTimestamp == nil:
			err = updateNode(ctx, core, node, func(n *corev1.Node) { n.Finalizers = append(n.Finalizers, finalizer) })
		}
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			logrus.Errorf("%s of %s: %v", finalizer, node.Name, err)
		}
	}
}

// letGo removes the node controller's finalizer from a deleted Node.
func letGo(ctx context.Context, core kubernetes.Interface, node *corev1.Node) error {
	if node.DeletionTimestamp == nil {
		return nil
	}
	return updateNode(ctx, core, node, func(n *corev1.Node) { drop(n, nodeFinalizer) })
}

// reconcileNode implements K3s's member controller (k3s-io/k3s pkg/etcd/member_controller.go, sync
// and onRemove). It removes a server's etcd member if the Node is deleted, or if the remove
// annotation is "true".
//
// A server that was removed and has joined again still has the annotation removed-node-name. The
// next removal request only clears the annotations remove and removed-node-name.
func (e *Etcd) reconcileNode(ctx context.Context, core kubernetes.Interface, node *corev1.Node) error {
	_, member := node.Labels[RoleLabel]
	name, removed := node.Annotations[NameAnnotation], node.Annotations[removedAnnotation]
	switch {
	case node.DeletionTimestamp != nil:
		if member && removed == "" {
			if err := e.remove(ctx, name); err != nil {
				return err
			}
		}
		return updateNode(ctx, core, node, func(n *corev1.Node) { drop(n, membersFinalizer) })
	case !member || name == "" || !strings.EqualFold(node.Annotations[removeAnnotation], "true"):
		return nil
	case removed != "" && removed != name:
		return updateNode(ctx, core, node, func(n *corev1.Node) { forget(n, removeAnnotation, removedAnnotation) })
	case removed != "":
		return nil
	}
	if err := e.remove(ctx, name); err != nil {
		return err
	}
	return updateNode(ctx, core, node, func(n *corev1.Node) {
		n.Annotations[removedAnnotation] = name
		forget(n, removeAnnotation, NameAnnotation, AddressAnnotation)
	})
}

// remove removes the member with a name from etcd. A missing member is no error.
func (e *Etcd) remove(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	list, err := e.client.Load().MemberList(ctx)
	if err != nil {
		return err
	}
	for _, m := range list.Members {
		if m.Name != name {
			continue
		}
		logrus.Infof("Removing name=%s id=%d from etcd", m.Name, m.ID)
		if _, err := e.client.Load().MemberRemove(ctx, m.ID); err != nil {
			return err
		}
	}
	return nil
}

func forget(n *corev1.Node, annotations ...string) {
	for _, name := range annotations {
		delete(n.Annotations, name)
	}
}

func drop(n *corev1.Node, finalizer string) {
	n.Finalizers = slices.DeleteFunc(n.Finalizers, func(f string) bool { return f == finalizer })
}

func updateNode(ctx context.Context, core kubernetes.Interface, node *corev1.Node, change func(*corev1.Node)) error {
	updated := node.DeepCopy()
	change(updated)
	_, err := core.CoreV1().Nodes().Update(ctx, updated, metav1.UpdateOptions{})
	return err
}
