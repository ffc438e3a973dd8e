// Package watchers waits for what watches an API server from within the cluster, such as ingress
// controllers and kube-proxy, after a start of that server: until they watch it again they send
// requests to the Pods that were there before.
//
// It owns how long that takes and how the age of an API server is read. It does not own what is
// done afterwards (packages canary and components).
package watchers
