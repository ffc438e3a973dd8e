// Package watchers waits until clients in the cluster, such as ingress controllers and kube-proxy,
// watch a restarted API server again. Until then they send requests to Pods that may be gone.
// Packages canary and components wait before they replace Pods.
package watchers
