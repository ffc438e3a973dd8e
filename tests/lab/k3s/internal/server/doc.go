// Package server runs a k3s process. A server has a datastore, a control plane, a supervisor,
// packaged manifests and a node. An agent is a node behind the load balancer.
//
// It owns the order of the start, systemd's notification, and the files token and k3s.yaml. It does
// not own the components. It sends READY=1 when the API server responds (server) or the node's
// network is up (agent), and never before.
package server
