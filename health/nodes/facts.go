package nodes

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"strata/health/kube"
	"strata/internal/kube/apiserver"
)

// Facts is one observation of all Nodes.
type Facts struct {
	// Fault is set when no API server could be asked; then nothing is known about any Node.
	Fault *kube.Fault `json:"fault,omitempty"`
	// Seconds is the number of seconds for which the fault has been the same.
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
	// Pod is the address of a ready Pod in that range; empty without one, or if no host asks it.
	Pod string `json:"pod,omitempty"`
	// Ready is the Ready condition; its Status is empty when the kubelet has not posted one.
	Ready kube.Condition `json:"ready"`
	// Trouble are the other conditions that report trouble by being True, such as DiskPressure.
	Trouble []kube.Condition `json:"trouble,omitempty"`
	// Heartbeat says whether the kubelet renews its Lease. A Node whose kubelet died stays
	// Ready=True until a controller notices.
	Heartbeat heartbeat `json:"heartbeat"`
	Cordoned  bool      `json:"cordoned,omitempty"`
	// Startup are taints that keep Pods off until a controller removes them.
	Startup []string `json:"startup,omitempty"`
	// Lacking are the labels and taints that the Spec requires and the Node does not have.
	Lacking  apiserver.NodeSettings `json:"lacking,omitzero"`
	Deleting bool                   `json:"deleting,omitempty"`
	// Seconds is the number of seconds for which the Node has been the same.
	Seconds int `json:"seconds,omitempty"`
}

// heartbeat is the state of a Node's Lease.
type heartbeat string

const (
	heartbeatFresh heartbeat = "fresh"
	heartbeatStale heartbeat = "stale"
	heartbeatNone  heartbeat = "none"
)

// factsOfNode takes the facts for a verdict out of a Node.
func factsOfNode(node *corev1.Node, set apiserver.NodeSettings) nodeFacts {
	facts := nodeFacts{Name: node.Name, Cordoned: node.Spec.Unschedulable,
		Deleting: node.DeletionTimestamp != nil}
	facts.PodCIDR, facts.Lacking = node.Spec.PodCIDR, set.FindMissing(node)
	_, facts.Server = node.Labels[controlPlaneLabel]
	for _, address := range node.Status.Addresses {
		// The cluster uses the first; a second one belongs to the other IP family.
		if address.Type == corev1.NodeInternalIP && facts.InternalIP == "" {
			facts.InternalIP = address.Address
		}
	}
	for _, c := range node.Status.Conditions {
		one := kube.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason,
			Message: c.Message}
		switch {
		case c.Type == corev1.NodeReady:
			facts.Ready = one
		case c.Status == corev1.ConditionTrue:
			facts.Trouble = append(facts.Trouble, one)
		}
	}
	for _, taint := range node.Spec.Taints {
		if slices.Contains(startupTaints, taint.Key) {
			facts.Startup = append(facts.Startup, taint.Key)
		}
	}
	return facts
}

// identity returns what Seconds counts from: the facts that a Node may lack without end. A fact
// that is left out makes an old Node stuck at once when it changes.
func (n nodeFacts) identity(uid types.UID) string {
	return fmt.Sprint(uid, " ", n.InternalIP, " ", n.Server, " ", n.Lacking)
}
