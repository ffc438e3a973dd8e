package health

import (
	"fmt"
	"slices"
	"strings"
)

// noticeSeconds is how long a wrong fact about a Node must stand before waiting is given up: the kubelet and K3s's
// controllers write addresses and labels some seconds after a Node has registered.
const noticeSeconds = 20

// nodesFacts is one look at the Nodes.
type nodesFacts struct {
	// Fault is set when no API server could be asked; then nothing is known about any Node.
	Fault *fault `json:"fault,omitempty"`
	// Seconds is for how long the same fault has stood.
	Seconds int         `json:"seconds,omitempty"`
	Nodes   []nodeFacts `json:"nodes,omitempty"`
}

// nodeFacts is one Node as the API shows it.
type nodeFacts struct {
	Name string `json:"name"`
	// Server is true when the Node carries the control-plane role label.
	Server     bool   `json:"server,omitempty"`
	InternalIP string `json:"internalIP,omitempty"`
	// PodCIDR is the IPv4 range of the Node's Pods; empty until a controller has assigned one.
	PodCIDR string `json:"podCIDR,omitempty"`
	// Ready is the Ready condition; its Status is empty when the kubelet has not posted one.
	Ready condition `json:"ready"`
	// Trouble are the other conditions that are True and mean trouble, such as DiskPressure.
	Trouble []condition `json:"trouble,omitempty"`
	// Heartbeat says whether the kubelet renews its Lease: a Node whose kubelet died is Ready=True until a controller
	// notices.
	Heartbeat heartbeat `json:"heartbeat"`
	Cordoned  bool      `json:"cordoned,omitempty"`
	// Startup are taints that keep Pods off until a controller removes them.
	Startup  []string `json:"startup,omitempty"`
	Deleting bool     `json:"deleting,omitempty"`
	// Seconds is for how long the Node has looked the same.
	Seconds int `json:"seconds,omitempty"`
}

// condition is what matters of a Kubernetes condition.
type condition struct {
	Type    string `json:"type,omitempty"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// ObservedGeneration is the generation of the object that the condition is about, where its writer says it.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// heartbeat is the state of a Node's Lease.
type heartbeat string

const (
	heartbeatFresh heartbeat = "fresh"
	heartbeatStale heartbeat = "stale"
	heartbeatNone  heartbeat = "none"
)

// judgeNodes compares the Nodes with the expected set: one verdict per expected host, and one for the set as a whole,
// where a Node too many or none at all shows.
func judgeNodes(expected []Host, facts nodesFacts) []Verdict {
	if facts.Fault != nil {
		return judgeNodesUnseen(expected, facts)
	}
	nodes := map[string]nodeFacts{}
	for _, node := range facts.Nodes {
		nodes[node.Name] = node
	}
	verdicts := make([]Verdict, 0, len(expected)+1)
	ready := 0
	for _, host := range expected {
		node, found := nodes[host.Name]
		v := judgeMissing(host, facts.Nodes, expected)
		if found {
			v = judgeNode(host, node)
		}
		v.Check, v.After = "node "+host.Name, []string{unitCheck(host)}
		if v.State == Ready {
			ready++
		}
		verdicts = append(verdicts, v)
	}
	return append(verdicts, judgeNodeSet(expected, facts.Nodes, ready))
}

// judgeNodesUnseen is the outcome when the API could not be asked: one reason, and every Node hidden behind it.
func judgeNodesUnseen(expected []Host, facts nodesFacts) []Verdict {
	verdicts := make([]Verdict, 0, len(expected)+1)
	for _, host := range expected {
		verdicts = append(verdicts, Verdict{Check: "node " + host.Name, State: Waiting, Message: "not seen", After: []string{nodeSetCheck}})
	}
	return append(verdicts, facts.Fault.verdict(nodeSetCheck, facts.Seconds >= startupSeconds))
}

// nodeSetCheck is the check of the set as a whole.
const nodeSetCheck = "node set"

// unitCheck is the name of the check of a host's K3s unit, without which its Node cannot be Ready.
func unitCheck(host Host) string { return "unit " + host.Name }

// judgeNodeSet says whether exactly the expected Nodes exist.
func judgeNodeSet(expected []Host, nodes []nodeFacts, ready int) Verdict {
	v := Verdict{Check: nodeSetCheck, State: Ready}
	if len(expected) == 0 || len(nodes) == 0 {
		v.State, v.Message = Waiting, fmt.Sprintf("no Nodes registered, expected %d", len(expected))
		return v
	}
	var extra []string
	settled := true
	for _, node := range nodes {
		if slices.ContainsFunc(expected, func(h Host) bool { return h.Name == node.Name }) {
			continue
		}
		extra = append(extra, node.Name)
		settled = settled && node.Seconds >= noticeSeconds && !node.Deleting
	}
	if len(extra) > 0 {
		slices.Sort(extra)
		v.State = Waiting
		v.Message = fmt.Sprintf("%d/%d Ready; not expected: %s", ready, len(expected), strings.Join(extra, ", "))
		v.Hint = "kubectl delete node " + strings.Join(extra, " ") + ", or add it to strata:hosts"
		if settled {
			v.State, v.Cause = Stuck, "a Node that no host of the configuration explains; nobody else removes it"
		}
		return v
	}
	if ready < len(expected) {
		v.State, v.Message = Waiting, fmt.Sprintf("%d/%d Ready", ready, len(expected))
		for _, host := range expected {
			v.After = append(v.After, "node "+host.Name)
		}
	}
	return v
}
