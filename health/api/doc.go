// Package api gates every API server by an authenticated /readyz. It also reports when the
// kubeconfig's client certificate expires.
package api
