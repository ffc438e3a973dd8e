// Package balancer is the agent's client-side load balancer: a TCP proxy on 127.0.0.1:6444 to
// whichever server answers.
//
// It owns: agent/etc/k3s-agent-load-balancer.json. It does not own: TLS, which passes through.
// It guarantees: a node works while any server does, also over a restart of its own.
package balancer
