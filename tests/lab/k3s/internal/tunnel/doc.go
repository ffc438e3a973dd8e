// Package tunnel lets the API server reach kubelets whose port it cannot dial. The API server needs
// the kubelets for logs, exec and proxy.
//
// Each node's agent keeps a connection to each server. The API server dials all nodes, Pods and
// Services by HTTP CONNECT to the supervisor. The supervisor forwards a connection to a kubelet
// through the agent's connection, and dials other addresses directly.
//
// Package tunnel owns these connections and the API server's egress configuration. It does not own
// authorization (supervisor). It supports only kubelet port 10250, and only the mode agent of
// --egress-selector-mode.
package tunnel
