package drain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
)

// refusedAgain is the time after which a refused eviction is tried again: a budget that allows one
// sends no event.
const refusedAgain = time.Second

// ErrBlocked is a drain whose time was up while Pods were left on the node.
var ErrBlocked = errors.New("not drained")

// Drainer drains nodes.
type Drainer struct {
	Client kubernetes.Interface
	// Log is told what the drain leaves alone, once.
	Log func(format string, args ...any)
}

// Drain evicts every Pod of a node that something else starts again elsewhere, and waits until they
// are gone or ctx ends. Left alone are Pods of DaemonSets and of the kubelet itself, finished ones,
// and Pods that no controller would start again: their containers outlive a restart of K3s
// (KillMode=process in its unit). Nothing is evicted before a controller manager leads.
func (d *Drainer) Drain(ctx context.Context, node string) error {
	if err := d.led(ctx); err != nil {
		return err
	}
	told := map[string]bool{}
	var left []leaving
	for ctx.Err() == nil {
		pods, err := d.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, on(node))
		if err != nil {
			pause(ctx, refusedAgain) // no API server answers, for example because etcd elects
			continue
		}
		now := d.evictAll(ctx, node, pods.Items, told)
		if len(now) == 0 {
			return nil
		}
		if ctx.Err() == nil || left == nil { // what the end of the time itself breaks off is no reason
			left = now
		}
		d.awaitChange(ctx, node, pods.ResourceVersion)
	}
	return fmt.Errorf("%w: %s", ErrBlocked, blockers(left))
}

// evictAll asks every Pod that can move to do so, and returns those that have not gone yet.
func (d *Drainer) evictAll(ctx context.Context, node string, pods []corev1.Pod, told map[string]bool) []leaving {
	var left []leaving
	for i := range pods {
		pod := &pods[i]
		switch {
		case stays(pod):
		case metav1.GetControllerOf(pod) == nil:
			if !told[pod.Name] {
				d.Log("%s/%s stays on %s: nothing would start it again elsewhere", pod.Namespace, pod.Name, node)
			}
			told[pod.Name] = true
		default:
			left = append(left, d.evict(ctx, pod))
		}
	}
	return left
}

// leaving is a Pod that has still to go, and why it did not: empty while it ends.
type leaving struct {
	pod     corev1.Pod
	refusal string
}

// stays are Pods that an eviction does not move.
func stays(pod *corev1.Pod) bool {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// evict asks for a Pod's eviction unless it is leaving already.
func (d *Drainer) evict(ctx context.Context, pod *corev1.Pod) leaving {
	one := leaving{pod: *pod}
	if pod.DeletionTimestamp != nil {
		return one
	}
	err := d.Client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))},
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		one.refusal = refusal(err)
	}
	return one
}

// refusal returns the API server's words, with the budget that it names in the causes.
func refusal(err error) string {
	text := err.Error()
	status := apierrors.APIStatus(nil)
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, cause := range status.Status().Details.Causes {
			if cause.Type == policyv1.DisruptionBudgetCause {
				text = cause.Message
			}
		}
	}
	return text
}

func on(node string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()}
}

// awaitChange returns when a Pod of the node changes, or when a refused eviction may be tried
// again.
func (d *Drainer) awaitChange(ctx context.Context, node, since string) {
	ctx, cancel := context.WithTimeout(ctx, refusedAgain)
	defer cancel()
	options := on(node)
	options.ResourceVersion = since
	changes, err := d.Client.CoreV1().Pods(metav1.NamespaceAll).Watch(ctx, options)
	if err != nil {
		<-ctx.Done()
		return
	}
	defer changes.Stop()
	select {
	case <-ctx.Done():
	case _, open := <-changes.ResultChan():
		if !open {
			<-ctx.Done()
		}
	}
}

// blockers names each Pod that is left and what keeps it.
func blockers(left []leaving) string {
	if len(left) == 0 {
		return "no API server answered"
	}
	var reasons []string
	for _, one := range left {
		why := one.refusal
		if why == "" {
			why = "it was told to end and has not yet"
		}
		reasons = append(reasons, fmt.Sprintf("%s/%s: %s", one.pod.Namespace, one.pod.Name, why))
	}
	slices.Sort(reasons)
	return fmt.Sprintf("%d still on it: %s", len(left), strings.Join(reasons, "; "))
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
