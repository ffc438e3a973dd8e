package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// errStuck reports a Pod that cannot run until a user changes it, so waiting is useless.
var errStuck = errors.New("waiting longer cannot help")

const (
	// crashes is the number of restarts that counts as a crash loop. A first restart may come from
	// a volume or a node that was not ready.
	crashes = 3
	// logLines is the number of log lines in an error.
	logLines = int64(5)
	// logTimeout bounds the read of the log, which happens after the caller's timeout.
	logTimeout = 5 * time.Second
)

// hopeless lists the waiting reasons of containers that last until the Pod is changed.
var hopeless = []string{"CreateContainerConfigError", "InvalidImageName", "ErrImageNeverPull"}

// podTrouble returns an error if the server cannot be contacted yet: its Pod does not run, or an
// upgrade is about to replace the Pod. It does not check Ready, because a sealed Vault is not
// Ready.
func podTrouble(ctx context.Context, cluster kubernetes.Interface, server Server) error {
	pod, err := cluster.CoreV1().Pods(server.Namespace).Get(ctx, server.Pod, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return errors.New("does not exist yet")
	}
	if err != nil {
		return err
	}
	if err := checkRunning(pod); err != nil {
		return errors.Join(err, nudge(ctx, cluster, pod, time.Now()))
	}
	for _, owner := range pod.OwnerReferences {
		if owner.Kind != "StatefulSet" {
			continue
		}
		set, err := cluster.AppsV1().StatefulSets(server.Namespace).Get(ctx, owner.Name,
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		if set.Status.ObservedGeneration < set.Generation ||
			pod.Labels[appsv1.ControllerRevisionHashLabelKey] != set.Status.UpdateRevision {
			return errors.New("is of an older revision, and about to be replaced")
		}
	}
	return nil
}

// checkRunning returns nil if the Pod's containers run, otherwise the reason why not. The error
// wraps errStuck if waiting is useless.
func checkRunning(pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil {
		return errors.New("is being deleted")
	}
	for _, container := range pod.Status.ContainerStatuses {
		waiting := container.State.Waiting
		switch {
		case container.State.Running != nil:
		case container.RestartCount >= crashes || waiting != nil &&
			slices.Contains(hopeless, waiting.Reason):
			return fmt.Errorf("%w: %s, %d restarts", errStuck, reason(container.State),
				container.RestartCount)
		default:
			return errors.New(reason(container.State))
		}
	}
	if len(pod.Status.ContainerStatuses) > 0 {
		return nil
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Status == corev1.ConditionFalse && condition.Message != "" {
			return fmt.Errorf("%s: %s", pod.Status.Phase, condition.Message)
		}
	}
	return errors.New(string(pod.Status.Phase))
}

func reason(state corev1.ContainerState) string {
	switch {
	case state.Waiting != nil:
		return strings.TrimSpace(state.Waiting.Reason + " " + state.Waiting.Message)
	case state.Terminated != nil:
		return fmt.Sprintf("ended with code %d", state.Terminated.ExitCode)
	}
	return "not started"
}

// lastWords returns the last lines of the server's log for an error; "" if there are none.
func lastWords(cluster kubernetes.Interface, server Server) string {
	ctx, cancel := context.WithTimeout(context.Background(), logTimeout)
	defer cancel()
	lines := logLines
	text, err := cluster.CoreV1().Pods(server.Namespace).GetLogs(server.Pod,
		&corev1.PodLogOptions{TailLines: &lines}).DoRaw(ctx)
	if err != nil || len(text) == 0 {
		return ""
	}
	return "; its log ends with:\n" + strings.TrimSpace(string(text)) + "\n"
}
