// Package node is the agent part of K3s: it joins a server, and then runs containerd, kubelet,
// kube-proxy, flannel and network policies.
//
// It owns /var/lib/rancher/k3s/agent, the node password and the containerd process. It does not own
// the CAs: the supervisor signs certificates. A node that cannot join never reports readiness to
// systemd. It retries, and logs K3s's messages.
package node
