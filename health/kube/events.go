package kube

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"strata/health"
)

// These thresholds distinguish a temporary fault from a permanent one, which is Stuck. A normal
// start of a Pod stays below them, even with a failed pull, one or two restarts while a dependency
// starts, or a wait for a node.
const (
	// crashBackoff is the kubelet's delay after the third crash in a row (10 s, 20 s, 40 s).
	crashBackoff = 40 * time.Second
	// wrongPulls is the number of failed pulls after which an answer such as "not found" counts as
	// permanent.
	wrongPulls = 2
	// wrongSeconds is the number of seconds after which an answer such as "not found" counts as
	// permanent, even after one pull. The kubelet tries again after 10 s. But it pulls one image at
	// a time, so slow pulls of other images may delay the second answer for minutes.
	wrongSeconds = 20
	// networkPulls is the number of failed pulls after which an unreachable registry counts as
	// permanent.
	networkPulls = 4
	// configSeconds limits the wait for a ConfigMap or Secret that a container refers to, because
	// the object may still be created.
	configSeconds = 15
	// scheduleSeconds limits the wait for a suitable node: an old Pod frees its resources after its
	// grace period of 30 s.
	scheduleSeconds = 35
)

// podFacts describes one Pod of the workload that a gate judges.
type podFacts struct {
	Name string `json:"name"`
	Node string `json:"node,omitempty"`
	// Scheduled is the PodScheduled condition.
	Scheduled  Condition        `json:"scheduled"`
	Containers []containerFacts `json:"containers,omitempty"`
	// Events are the Pod's Warning events, newest first: reason and message.
	Events []string `json:"events,omitempty"`
	// Seconds is the number of seconds for which the Pod has shown the same fault.
	Seconds int `json:"seconds,omitempty"`
}

// containerFacts describes a container that is waiting, or that runs and is not ready.
type containerFacts struct {
	Name  string `json:"name"`
	Image string `json:"image,omitempty"`
	// Reason and Message describe the container's waiting state.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Exit describes the container's last exit, for example "exit code 1 (Error)".
	Exit string `json:"exit,omitempty"`
	// Pulls counts the failed pulls of the image, from the Pod's events.
	Pulls int `json:"pulls,omitempty"`
	// Old is true if the container's last failure was long before the gate's first observation.
	Old bool `json:"old,omitempty"`

	// failed is the time of the last failed pull or of the last exit, whichever is later.
	failed time.Time
}

// trouble describes a fault of a Pod. Its state is Stuck if waiting does not help, otherwise
// Waiting.
type trouble struct {
	state health.State
	text  string
	cause string
	hint  string
}

// podTrouble returns the worst fault of a Pod; false if it has none and only needs time.
func podTrouble(namespace string, pod podFacts) (trouble, bool) {
	hint := "kubectl -n " + namespace + " describe pod " + pod.Name
	if pod.Scheduled.Status == "False" {
		return judgeScheduling(pod, hint), true
	}
	worst, found := trouble{}, false
	for _, container := range pod.Containers {
		one, bad := containerTrouble(container, pod, namespace)
		if bad && (!found || one.state == health.Stuck && worst.state != health.Stuck) {
			one.text = fmt.Sprintf("Pod %s: %s", podPlace(pod), one.text)
			worst, found = one, true
		}
	}
	if worst.hint == "" {
		worst.hint = hint
	}
	return worst, found
}

func podPlace(pod podFacts) string {
	if pod.Node == "" {
		return pod.Name
	}
	return pod.Name + " on " + pod.Node
}

// passing matches scheduling failures that end without a change by the user.
var passing = regexp.MustCompile(`node\.kubernetes\.io/(not-ready|unreachable|network-unavailable)|uninitialized|no nodes available`)

func judgeScheduling(pod podFacts, hint string) trouble {
	t := trouble{state: health.Waiting, text: "Pod " + pod.Name + ": unschedulable: " +
		pod.Scheduled.Message, hint: hint}
	if passing.MatchString(pod.Scheduled.Message) || pod.Scheduled.Reason != "Unschedulable" {
		return t
	}
	t.cause = "no node suits the Pod" + whyUnschedulable(pod.Scheduled.Message)
	if pod.Seconds >= scheduleSeconds {
		t.state = health.Stuck
	}
	return t
}

// notReady is the Reason of a container that runs but whose probe fails. It is Strata's own; the
// kubelet has no such reason.
const notReady = "NotReady"

// containerTrouble judges the waiting state of one container.
func containerTrouble(c containerFacts, pod podFacts, namespace string) (trouble, bool) {
	text := fmt.Sprintf("container %s: %s: %s", c.Name, c.Reason, c.Message)
	t := trouble{state: health.Waiting, text: strings.TrimSuffix(text, ": ")}
	logs := "kubectl -n " + namespace + " logs " + pod.Name + " -c " + c.Name
	switch c.Reason {
	case "CreateContainerConfigError", "CreateContainerError":
		t.cause = "the Pod names a ConfigMap, Secret or setting that cannot be used"
		t.stuckIf(pod.Seconds >= configSeconds)
	case "InvalidImageName", "ErrImageNeverPull":
		t.cause = "the image cannot be pulled under this name and policy"
		t.stuckIf(true)
	case errPull, pullBackOff:
		t.judgePull(c, pod.Seconds)
		t.agedIf(c.Old)
	case "CrashLoopBackOff":
		t.judgeCrash(c, pod)
		t.agedIf(c.Old)
		t.hint = logs + " --previous"
	case notReady:
		t.text = fmt.Sprintf("container %s runs and is not ready: %s", c.Name, c.Message)
		t.cause, t.hint = "its readiness probe fails, or its startup probe: the program is not "+
			"up, or the probe asks for something else", logs
	case "ContainerCreating", "PodInitializing":
		return t, t.judgeCreation(c, pod)
	default:
		return t, false
	}
	return t, true
}

// judgeCrash judges a container in CrashLoopBackOff.
func (t *trouble) judgeCrash(c containerFacts, pod podFacts) {
	t.cause = "the container exits soon after its start"
	switch {
	case strings.Contains(c.Exit, "(OOMKilled)"):
		t.cause = "the container was killed because it needs more memory than its limit"
	case slices.ContainsFunc(pod.Events,
		func(line string) bool {
			return strings.HasPrefix(line,
				"Unhealthy: Liveness probe failed")
		}):
		t.cause = "the kubelet restarts the container because its liveness probe fails"
	}
	if c.Exit != "" {
		t.text += "; last " + c.Exit
	}
	t.stuckIf(backoffOf(c.Message) >= crashBackoff)
}

// creations maps reasons of kubelet events to the causes for which a container is not created
// (kubernetes pkg/kubelet/events/event.go). Such a container has no state of its own, and the
// kubelet retries until it succeeds.
var creations = []struct{ reason, cause, hint string }{
	// metallb internal/k8s/k8s.go, CreateMlSecret
	{`FailedMount: MountVolume.SetUp failed for volume "memberlist" : `, "the Secret was deleted: " +
		"MetalLB's controller creates it only when it starts",
		"kubectl -n metallb-system rollout restart deployment/metallb-controller"},
	{"FailedMount: ", "a volume of the Pod cannot be mounted: the Secret, ConfigMap or claim " +
		"that it names is not there", ""},
	{"FailedAttachVolume: ", "a volume of the Pod cannot be attached to the node", ""},
	{"FailedCreatePodSandBox: ", "the node cannot make the Pod's sandbox: containerd or the Pod " +
		"network on it does not work", ""},
	{"NetworkNotReady: ", "the Pod network is not set up on the node", ""},
}

// judgeCreation explains why a container is not created. It returns false if no event names a
// failure: the container then only needs time.
func (t *trouble) judgeCreation(c containerFacts, pod podFacts) bool {
	for _, line := range pod.Events {
		for _, known := range creations {
			if message, found := strings.CutPrefix(line, known.reason); found {
				t.text, t.cause = fmt.Sprintf("container %s: %s: %s", c.Name, c.Reason,
					Innermost(message)), known.cause
				if known.hint != "" {
					t.hint = known.hint
				}
				return true
			}
		}
	}
	return false
}

// agedIf turns a Stuck verdict into Waiting if it is based only on an old failure. The cause may be
// fixed already: the kubelet waits up to 5 minutes before it tries again (kubernetes
// pkg/kubelet/kubelet.go, MaxContainerBackOff).
func (t *trouble) agedIf(old bool) {
	if old {
		t.state = health.Waiting
		t.text += "; that was before this gate began, and the kubelet tries again within 5 minutes"
	}
}

func (t *trouble) stuckIf(sure bool) {
	if sure {
		t.state = health.Stuck
	}
}
