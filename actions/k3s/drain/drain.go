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

// refusedAgain is the time between two attempts of a refused eviction. No event reports that a
// budget allows the eviction.
const refusedAgain = time.Second

// ErrBlocked reports that Pods were still on the node at the timeout.
var ErrBlocked = errors.New("not drained")

// Drainer drains nodes.
type Drainer struct {
	Client kubernetes.Interface
	// Log receives a line for each Pod without a controller, which the drain does not evict.
	Log func(format string, args ...any)
}

// Drain evicts the Pods of a node that a controller recreates elsewhere. It returns nil when they
// are gone, and ErrBlocked when ctx is done. It does not evict finished Pods, static Pods, Pods of
// DaemonSets, or Pods without a controller, whose containers survive a restart of K3s
// (KillMode=process in its unit). The first eviction waits for a leading controller manager
// (awaitLeader).
func (d *Drainer) Drain(ctx context.Context, node string) error {
	if err := d.awaitLeader(ctx); err != nil {
		return err
	}
	told := map[string]bool{}
	var left []leaving
	for ctx.Err() == nil {
		pods, err := d.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, podListOptions(node))
		if err != nil {
			pause(ctx, refusedAgain) // no API server answers, for example during an etcd election
			continue
		}
		now := d.evictAll(ctx, node, pods.Items, told)
		if len(now) == 0 {
			return nil
		}
		if ctx.Err() == nil || left == nil { // after the timeout, keep the previous reasons
			left = now
		}
		d.awaitChange(ctx, node, pods.ResourceVersion)
	}
	return fmt.Errorf("%w: %s", ErrBlocked, blockers(left))
}

// evictAll requests the eviction of every Pod that can move, and returns those that are still
// there. told holds the Pods about which a log line was written.
func (d *Drainer) evictAll(
	ctx context.Context, node string, pods []corev1.Pod, told map[string]bool,
) []leaving {
	var left []leaving
	for i := range pods {
		pod := &pods[i]
		switch {
		case stays(pod):
		case metav1.GetControllerOf(pod) == nil:
			if !told[pod.Name] {
				d.Log("%s/%s stays on %s: nothing would start it again elsewhere", pod.Namespace,
					pod.Name, node)
			}
			told[pod.Name] = true
		default:
			left = append(left, d.evict(ctx, pod))
		}
	}
	return left
}

// leaving is a Pod that is still on the drained node. refusal is the reason why its eviction was
// refused, or "" while the Pod terminates.
type leaving struct {
	pod     corev1.Pod
	refusal string
}

// stays reports whether the drain must not evict the Pod: it is a static Pod, belongs to a
// DaemonSet, or has finished.
func stays(pod *corev1.Pod) bool {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" || pod.Status.Phase == corev1.PodSucceeded ||
		pod.Status.Phase == corev1.PodFailed
}

// evict requests a Pod's eviction, unless the Pod is being deleted already.
func (d *Drainer) evict(ctx context.Context, pod *corev1.Pod) leaving {
	one := leaving{pod: *pod}
	if pod.DeletionTimestamp != nil {
		return one
	}
	err := d.Client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
		DeleteOptions: &metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID))},
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		one.refusal = refusal(err)
	}
	return one
}

// refusal returns the message of a refused eviction; if a PodDisruptionBudget is the cause, the
// message that names it.
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

func podListOptions(node string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName",
		node).String()}
}

// awaitChange waits until a Pod of the node changes, at most for refusedAgain.
func (d *Drainer) awaitChange(ctx context.Context, node, since string) {
	ctx, cancel := context.WithTimeout(ctx, refusedAgain)
	defer cancel()
	options := podListOptions(node)
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

// blockers returns the Pods that are left, each with the reason.
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
