// Package tunnel lets the API server reach kubelets whose port it cannot dial. The API server needs
// that for logs, exec and proxy.
//
// Each node's agent keeps a connection to each server. The API server dials all nodes, Pods and
// Services by HTTP CONNECT to the supervisor. The supervisor forwards a connection to a kubelet
// through the agent's connection, and dials other addresses directly.
//
// It owns these connections and the API server's egress configuration. It does not own
// authorization (supervisor). Not supported are the modes pod, cluster and disabled of
// --egress-selector-mode, and another kubelet port than 10250.
package tunnel
