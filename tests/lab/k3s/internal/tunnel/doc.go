// Package tunnel lets the API server reach kubelets whose port it cannot dial: for logs, exec and
// proxy.
//
// Each node's agent keeps a connection to each server. The API server asks the supervisor by HTTP
// CONNECT for all addresses of nodes, Pods and Services. The supervisor leads a kubelet's through
// its agent's connection, and dials the others. It owns: these connections, and the API server's
// configuration for them. It does not own: who may connect (supervisor). It does not do: the modes
// pod, cluster and disabled of --egress-selector-mode, and another port of the kubelet.
package tunnel
