package nodes

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"strata/health/kube"
	"strata/internal/kube/apiserver"
)

// Facts describes all Nodes at one observation.
type Facts struct {
	kube.APIFault
	Nodes []nodeFacts `json:"nodes,omitempty"`
}

// nodeFacts describes one Node.
type nodeFacts struct {
	Name string `json:"name"`
	// Server is true if the Node has the control-plane role label.
	Server     bool   `json:"server,omitempty"`
	InternalIP string `json:"internalIP,omitempty"`
	// PodCIDR is the IPv4 range of the Node's Pods; empty until a controller has assigned one.
	PodCIDR string `json:"podCIDR,omitempty"`
	// Pod is the address of a ready Pod in PodCIDR; empty without one, or if no host connects to
	// Pods.
	Pod string `json:"pod,omitempty"`
	// Ready is the Ready condition; its Status is empty when the kubelet has not posted one.
	Ready kube.Condition `json:"ready"`
	// Trouble are the other conditions that are True. Such a condition is a fault, as DiskPressure
	// is.
	Trouble []kube.Condition `json:"trouble,omitempty"`
	// Heartbeat says whether the kubelet is alive. A Node whose kubelet has died stays Ready=True
	// until a controller notices.
	Heartbeat heartbeat `json:"heartbeat"`
	Cordoned  bool      `json:"cordoned,omitempty"`
	// Startup are the Node's taints that keep Pods off until a controller removes them
	// (startupTaints).
	Startup []string `json:"startup,omitempty"`
	// Lacking are the labels and taints that the Spec requires and the Node lacks.
	Lacking  apiserver.NodeSettings `json:"lacking,omitzero"`
	Deleting bool                   `json:"deleting,omitempty"`
	// Seconds is the number of seconds for which the Node's identity has been the same.
	Seconds int `json:"seconds,omitempty"`
}

// heartbeat is the state of a Node's Lease.
type heartbeat string

const (
	heartbeatFresh heartbeat = "fresh"
	heartbeatStale heartbeat = "stale"
	heartbeatNone  heartbeat = "none"
)

// factsOfNode returns the facts of a Node. set has the labels and taints that the Node must have.
func factsOfNode(node *corev1.Node, set apiserver.NodeSettings) nodeFacts {
	facts := nodeFacts{Name: node.Name, Cordoned: node.Spec.Unschedulable,
		Deleting: node.DeletionTimestamp != nil}
	facts.PodCIDR, facts.Lacking = node.Spec.PodCIDR, set.FindMissing(node)
	_, facts.Server = node.Labels[controlPlaneLabel]
	for _, address := range node.Status.Addresses {
		// The cluster uses the first address; a second one belongs to the other IP family.
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

// identity returns a text of the facts that may be wrong forever; Seconds counts from its last
// change. Every fact that can make the verdict Stuck must be in the text. Otherwise a change of
// that fact would make the Node Stuck at once, because Seconds would not restart.
func (n nodeFacts) identity(uid types.UID) string {
	return fmt.Sprint(uid, " ", n.InternalIP, " ", n.Server, " ", n.Lacking)
}
