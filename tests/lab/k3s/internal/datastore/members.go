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

// Labels, annotations and finalizers are K3s's (k3s-io/k3s pkg/etcd/member_controller.go,
// pkg/node/controller.go).
const (
	RoleLabel         = "node-role.kubernetes.io/etcd"
	NameAnnotation    = "etcd.k3s.cattle.io/node-name"
	AddressAnnotation = "etcd.k3s.cattle.io/node-address"
	removeAnnotation  = "etcd.k3s.cattle.io/remove"
	removedAnnotation = "etcd.k3s.cattle.io/removed-node-name"
	// membersFinalizer and nodeFinalizer are on every Node, an agent's as well: a Node goes when
	// the holders of both leases have let it.
	membersFinalizer  = "wrangler.cattle.io/managed-etcd-controller"
	nodeFinalizer     = "wrangler.cattle.io/node"
	promoteInterval   = 2 * time.Second
	reconcileInterval = time.Second // K3s's controllers hear of a change at once
)

// The leases of the two controllers; a server may hold one, both or none.
const (
	membersLease = "k3s-etcd"
	nodeLease    = "k3s"
)

// RunController promotes learners on the server that leads etcd, and follows the Nodes on the
// holders of the leases. K3s looks at learners every 15 s; the lab every 2 s, to save minutes of
// every test.
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

// promote gives a vote to a learner that has caught up; etcd refuses one that has not.
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

// change is a controller's action on one Node. It runs before the controller removes its finalizer
// from the Node, or after the Node has got it.
type change func(ctx context.Context, core kubernetes.Interface, node *corev1.Node) error

// reconcile puts a controller's finalizer on every Node, and calls its change for each one that has
// it.
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

// reconcileNode is K3s's member controller (k3s-io/k3s pkg/etcd/member_controller.go, sync and
// onRemove). A server that was removed and came back keeps removed-node-name; the next request to
// remove it only takes both annotations away, and has to be repeated.
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

// remove takes a member out by name; one that is already gone is done.
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
