// Package members takes leaving nodes out of a running cluster, before the gate that expects the
// exact node set: cordon and drain, stop K3s on the host where it still answers, remove the etcd
// member, the Node and the node-password Secret. Each step is bounded and may be run again; a dead
// host does not stop it. Removing K3s from the host is the uninstall's work. The Nodes that stay get
// the labels and taints of the stack.
package members
