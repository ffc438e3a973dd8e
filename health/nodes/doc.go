// Package nodes gates the set of Nodes: every configured host runs its K3s unit and has a Ready
// Node with a live kubelet, the hosts reach each other's Pods, and there is no other Node.
//
// Package host judges each host's K3s unit (unit.go there).
package nodes
