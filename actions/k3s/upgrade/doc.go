// Package upgrade rolls out a changed K3s to the nodes of a running cluster: servers one by one,
// then agents, several in parallel. It cordons and drains each node, restarts it with the new K3s,
// runs its gates and uncordons it. It derives the remaining work from the state of hosts and Nodes,
// so the next run continues an interrupted rollout. The first node that fails stops the rollout;
// the other nodes keep serving. Other packages copy the binary (push) and install a new node
// (install).
package upgrade
