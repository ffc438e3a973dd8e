// Package upgrade rolls a changed K3s out to the nodes of a running cluster: servers one by one,
// then agents in lanes. It cordons each node, drains it within a time and within
// PodDisruptionBudgets, installs the binary, gates it and uncordons it. The remaining work follows
// from the reports of hosts and Nodes, so an interrupted rollout continues. The first node that
// fails ends the rollout; the others serve. It owns neither the copies of the binary (pushes) nor a
// node's first start (install).
package upgrade
