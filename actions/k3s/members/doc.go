// Package members removes nodes that left the configuration from a running cluster, before the gate
// that expects the exact set of nodes. It drains a node, stops K3s on the host if the host answers,
// and removes the etcd member, the Node and the node password. Each step has a timeout and can be
// repeated; a dead host does not block it. The uninstall of K3s from the host comes later, with its
// own resource. The package also sets the labels and taints of the nodes that stay.
package members
