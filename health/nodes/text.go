package nodes

import (
	"strings"

	"strata/health/kube"
)

// notReady returns the message for a Ready condition that is not True, such as "NotReady, container
// runtime network not ready".
func notReady(ready kube.Condition) string {
	state := "NotReady"
	switch ready.Status {
	case "False":
	case "":
		return "the kubelet has not posted a Ready condition yet"
	default:
		state = "Ready is " + ready.Status
	}
	if reason := brief(ready.Message); reason != "" {
		return state + ", " + reason
	}
	if ready.Reason != "" {
		return state + ", " + ready.Reason
	}
	return state
}

// brief returns the first clause of a kubelet message, up to a colon. The rest only repeats it in
// the runtime's words.
func brief(message string) string {
	clause, _, _ := strings.Cut(message, ": ")
	return strings.TrimSpace(clause)
}

// nodeCause returns the usual reason for a Ready condition's message; empty if none is known.
func nodeCause(ready kube.Condition) string {
	switch {
	case strings.Contains(ready.Message, "network plugin") ||
		strings.Contains(ready.Message, "cni plugin not initialized"):
		return "the Pod network is not set up on the node (yet)"
	case strings.Contains(ready.Message, "container runtime is down"),
		strings.Contains(ready.Message, "PLEG"):
		return "containerd does not answer"
	case ready.Reason == "NodeStatusUnknown":
		return "the kubelet has stopped posting: the host is down, cut off, or its unit has stopped"
	default:
		return ""
	}
}

func leaseMessage(h heartbeat) string {
	if h == heartbeatStale {
		return "not renewed"
	}
	return "missing"
}

// conditionLines returns the evidence for a Node: its conditions, one per line.
func conditionLines(node nodeFacts) []string {
	lines := []string{kube.ConditionLine(node.Ready)}
	for _, c := range node.Trouble {
		lines = append(lines, kube.ConditionLine(c))
	}
	return lines
}
