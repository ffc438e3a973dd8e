package datastore

import (
	"context"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Labels, annotations and the finalizer are K3s's (k3s-io/k3s pkg/etcd/member_controller.go).
const (
	RoleLabel          = "node-role.kubernetes.io/etcd"
	NameAnnotation     = "etcd.k3s.cattle.io/node-name"
	AddressAnnotation  = "etcd.k3s.cattle.io/node-address"
	removeAnnotation   = "etcd.k3s.cattle.io/remove"
	removedAnnotation  = "etcd.k3s.cattle.io/removed-node-name"
	membersFinalizer   = "wrangler.cattle.io/managed-etcd-controller"
	membershipInterval = 2 * time.Second
)

// RunController promotes learners and follows the Nodes, on whichever server leads etcd.
// K3s looks at learners every 15 s; the lab every 2 s, to save minutes of every test.
func (e *Etcd) RunController(ctx context.Context, core kubernetes.Interface) {
	for {
		if e.leads(ctx) {
			e.promote(ctx)
			e.reconcile(ctx, core)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(membershipInterval):
		}
	}
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

func (e *Etcd) reconcile(ctx context.Context, core kubernetes.Interface) {
	nodes, err := core.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: RoleLabel})
	if err != nil {
		logrus.Debugf("list nodes for etcd membership: %v", err)
		return
	}
	for i := range nodes.Items {
		if err := e.reconcileNode(ctx, core, &nodes.Items[i]); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			logrus.Errorf("etcd membership of %s: %v", nodes.Items[i].Name, err)
		}
	}
}

func (e *Etcd) reconcileNode(ctx context.Context, core kubernetes.Interface, node *corev1.Node) error {
	name := node.Annotations[NameAnnotation]
	switch {
	case node.DeletionTimestamp != nil:
		if !hasFinalizer(node) {
			return nil
		}
		if err := e.remove(ctx, name); err != nil {
			return err
		}
		return updateNode(ctx, core, node, dropFinalizer)
	case strings.EqualFold(node.Annotations[removeAnnotation], "true") && name != "":
		if err := e.remove(ctx, name); err != nil {
			return err
		}
		return updateNode(ctx, core, node, markRemoved)
	case node.Annotations[removedAnnotation] != "" && name != "" && name != node.Annotations[removedAnnotation]:
		return updateNode(ctx, core, node, markRejoined)
	case !hasFinalizer(node):
		return updateNode(ctx, core, node, func(n *corev1.Node) { n.Finalizers = append(n.Finalizers, membersFinalizer) })
	}
	return nil
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

func markRemoved(n *corev1.Node) {
	n.Annotations[removedAnnotation] = n.Annotations[NameAnnotation]
	delete(n.Annotations, NameAnnotation)
	delete(n.Annotations, AddressAnnotation)
}

func markRejoined(n *corev1.Node) {
	delete(n.Annotations, removedAnnotation)
	n.Annotations[removeAnnotation] = "false"
}

func hasFinalizer(node *corev1.Node) bool {
	for _, f := range node.Finalizers {
		if f == membersFinalizer {
			return true
		}
	}
	return false
}

func dropFinalizer(n *corev1.Node) {
	var kept []string
	for _, f := range n.Finalizers {
		if f != membersFinalizer {
			kept = append(kept, f)
		}
	}
	n.Finalizers = kept
}

func updateNode(ctx context.Context, core kubernetes.Interface, node *corev1.Node, change func(*corev1.Node)) error {
	updated := node.DeepCopy()
	change(updated)
	_, err := core.CoreV1().Nodes().Update(ctx, updated, metav1.UpdateOptions{})
	return err
}
