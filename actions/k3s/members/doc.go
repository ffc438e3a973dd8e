// Package members removes leaving nodes from a running cluster, before the gate that expects the
// exact node set. It cordons and drains a node, stops K3s on the host if that still answers, and
// removes the etcd member, the Node and the node-password Secret. Each step is bounded and may be
// run again; a dead host does not stop it. The uninstall removes K3s from the host. The Nodes that
// stay get the labels and taints of the stack.
package members
