package nodes

import (
	"net/netip"

	"strata/health"
	"strata/internal/kube/apiserver"
)

// Kind gates the set of Nodes: every host runs its unit and has a Ready Node, and there is no other
// Node.
const Kind health.Kind = "nodes"

// Spec configures the gate of the node set.
type Spec struct {
	// PodNetwork is the cluster's Pod network, such as 10.42.0.0/16. If it is set, every host must
	// have a route inside it to the Pods of every other Node, as flannel writes them, and must get
	// an answer. Empty: not checked, because another CNI plugin may need no routes.
	PodNetwork netip.Prefix `json:"podNetwork,omitzero"`
	// Backend is flannel's backend, such as vxlan. It determines which packets between nodes a
	// firewall must allow.
	Backend string `json:"backend,omitempty"`
	// Kubelets is true if each host must get an answer from every other Node's kubelet.
	// metrics-server may run on any node and reads from all kubelets.
	Kubelets bool `json:"kubelets,omitempty"`
	// Settings are the labels and taints that Nodes must have, by the Node's name.
	Settings map[string]apiserver.NodeSettings `json:"settings,omitempty"`
	// Registered is true for an existing cluster, whose nodes are not configured here and whose
	// hosts cannot be reached. At least one Node must exist then, and each must be Ready.
	Registered bool `json:"registered,omitempty"`
}

// Traits implements health.Body.
func (s Spec) Traits() health.Traits {
	return health.Traits{Kind: Kind, NodeSet: !s.Registered, Optional: true}
}

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
