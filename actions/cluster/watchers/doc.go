// Package watchers waits until clients in the cluster, such as ingress controllers and kube-proxy,
// watch a restarted API server again: until then they send requests to the previous Pods.
//
// It owns the length of that wait and the reading of an API server's age. Packages canary and
// components own the next step.
package watchers
