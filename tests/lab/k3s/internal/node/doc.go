// Package node is the agent half of K3s: it joins a server, then runs containerd, kubelet,
// kube-proxy and flannel.
//
// It owns: /var/lib/rancher/k3s/agent, the node password, the containerd child, the client-side
// load balancer on 127.0.0.1:6444. It does not own: certificates' authority (supervisor signs). It
// guarantees: a node that cannot join never reports readiness to systemd; it keeps trying and logs
// K3s's own words.
package node
