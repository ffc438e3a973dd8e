package nodes

import (
	"net/netip"

	"strata/health"
	"strata/internal/kube/apiserver"
)

// Kind gates the exact node set: each unit on its host, each Node Ready, none missing,
// none extra.
const Kind health.Kind = "nodes"

// Spec configures the gate of the node set.
type Spec struct {
	// PodNetwork is the cluster's Pod network, such as 10.42.0.0/16. Every host must then have a
	// route inside it to the Pods of every other Node, as flannel writes them, and must get an
	// answer there. Empty: routes are not checked, because another CNI plugin may need none.
	PodNetwork netip.Prefix `json:"podNetwork,omitzero"`
	// Backend is flannel's backend, such as vxlan. It decides by which port or kind of UDP packets
	// nodes exchange their Pods' packets.
	Backend string `json:"backend,omitempty"`
	// Kubelets is true if each host must get an answer from every other Node's kubelet.
	// metrics-server may run on any node and asks all kubelets.
	Kubelets bool `json:"kubelets,omitempty"`
	// Settings are the labels and taints that Nodes must have, by the Node's name.
	Settings map[string]apiserver.NodeSettings `json:"settings,omitempty"`
	// Registered makes the registered Nodes the expected ones. The nodes of an existing cluster are
	// not configured here, and none of its hosts can be asked. At least one Node must exist, and
	// each must be Ready.
	Registered bool `json:"registered,omitempty"`
}

// Traits implements health.Body.
func (s Spec) Traits() health.Traits {
	return health.Traits{Kind: Kind, NodeSet: !s.Registered, Optional: true}
}

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
