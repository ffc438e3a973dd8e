// Package k8s is a stub of the search for servers by the labels of their Pods (see package
// discover).
package k8s

// Provider finds no servers.
type Provider struct{}
