// Package upgrade takes a changed K3s to the nodes of a running cluster: servers one by one, then
// agents in lanes. Each is cordoned, drained within a bound and within PodDisruptionBudgets, given
// its binary, gated, and uncordoned. What is to be done follows from what hosts and Nodes report,
// so that an interrupted rollout goes on where it stopped; the first node that fails ends it, and
// the others serve. It owns neither the copies of the binary (pushes) nor a node's first start
// (install).
package upgrade
