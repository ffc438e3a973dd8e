package kube

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// eventsShown limits the events that one Pod or workload adds to the evidence.
const eventsShown = 3

// factsOfPod returns the facts that podTrouble judges: a Pod's scheduling, its containers that wait
// or are not ready, and its events.
func factsOfPod(pod *corev1.Pod, events []corev1.Event) podFacts {
	own := WarningsOf(events, string(pod.UID))
	facts := podFacts{Name: pod.Name, Node: pod.Spec.NodeName, Events: EventLines(own)}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			facts.Scheduled = Condition{Type: string(c.Type), Status: string(c.Status),
				Reason: c.Reason, Message: c.Message}
		}
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if status.State.Waiting == nil {
			continue
		}
		ended := status.LastTerminationState.Terminated
		container := containerFacts{
			Name: status.Name, Image: status.Image,
			Reason: status.State.Waiting.Reason, Message: Stable(status.State.Waiting.Message),
			Exit: exitOf(ended),
		}
		if ended != nil {
			container.failed = ended.FinishedAt.Time
		}
		for _, event := range failedPulls(own, status.Image) {
			container.Pulls += eventCount(event)
			container.failed = latest(container.failed, eventTime(event))
		}
		facts.Containers = append(facts.Containers, container)
	}
	facts.Containers = append(facts.Containers, unreadyOf(pod, own)...)
	return facts
}

// unreadyOf returns the containers that run, are not ready, and have a probe failure among the
// events. The kubelet reports a failed probe only in an event.
func unreadyOf(pod *corev1.Pod, own []corev1.Event) []containerFacts {
	var unready []containerFacts
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running == nil || status.Ready {
			continue
		}
		for _, event := range own {
			if event.Reason == "Unhealthy" &&
				(event.InvolvedObject.FieldPath == "" ||
					strings.Contains(event.InvolvedObject.FieldPath, "{"+status.Name+"}")) {
				unready = append(unready,
					containerFacts{Name: status.Name, Image: status.Image, Reason: notReady,
						Message: Stable(event.Message)})
				break
			}
		}
	}
	return unready
}

func exitOf(ended *corev1.ContainerStateTerminated) string {
	if ended == nil {
		return ""
	}
	text := fmt.Sprintf("exit code %d (%s)", ended.ExitCode, ended.Reason)
	if message := strings.TrimSpace(ended.Message); message != "" {
		text += ": " + message
	}
	return text
}

// failedPulls returns the kubelet's "Failed to pull image" events for an image. Kubernetes merges
// equal events into one object with a count.
func failedPulls(events []corev1.Event, image string) []corev1.Event {
	var pulls []corev1.Event
	for _, event := range events {
		if event.Reason == "Failed" && strings.HasPrefix(event.Message, "Failed to pull image") &&
			strings.Contains(event.Message, image) {
			pulls = append(pulls, event)
		}
	}
	return pulls
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func eventCount(event corev1.Event) int {
	if event.Series != nil {
		return int(event.Series.Count)
	}
	return max(int(event.Count), 1)
}

// WarningsOf returns the Warning events of one object, newest first. It compares the UID to exclude
// events of an earlier object with the same name.
func WarningsOf(events []corev1.Event, uid string) []corev1.Event {
	var own []corev1.Event
	for _, event := range events {
		if event.Type == corev1.EventTypeWarning && string(event.InvolvedObject.UID) == uid {
			own = append(own, event)
		}
	}
	slices.SortStableFunc(own, func(a, b corev1.Event) int {
		return eventTime(b).Compare(eventTime(a))
	})
	return own
}

// EventLines returns up to eventsShown different events as evidence, in the given order. It omits
// counts and times, so that unchanged evidence stays the same.
func EventLines(events []corev1.Event) []string {
	var lines []string
	for _, event := range events {
		line := event.Reason + ": " + Stable(event.Message)
		if !slices.Contains(lines, line) && len(lines) < eventsShown {
			lines = append(lines, line)
		}
	}
	return lines
}

func eventTime(event corev1.Event) time.Time {
	switch {
	case event.Series != nil:
		return event.Series.LastObservedTime.Time
	case !event.LastTimestamp.IsZero():
		return event.LastTimestamp.Time
	default:
		return event.EventTime.Time
	}
}
