// Package balancer is the agent's client-side load balancer: a TCP proxy on 127.0.0.1 (port 6444 by
// default) to the servers of the cluster.
//
// It owns agent/etc/k3s-agent-load-balancer.json. It does not terminate TLS. A node works, and can
// restart, while any server accepts connections.
package balancer
