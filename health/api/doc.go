// Package api gates the API servers: each must pass an authenticated request for /readyz. The
// package also reports when the kubeconfig's client certificate expires.
package api
