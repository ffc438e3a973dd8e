// Package server puts the pieces of one k3s process together: a server (datastore, control plane,
// supervisor, packaged manifests, and a node unless disabled) or an agent (a node behind the load
// balancer).
//
// It owns: the order of the start, systemd's notification, the files token and k3s.yaml. It does
// not own: the pieces. It guarantees: READY=1 is sent when the API server answers (server) or the
// node's network is up (agent), and never before.
package server
