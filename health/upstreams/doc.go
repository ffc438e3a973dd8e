// Package upstreams gates the routes in APISIX's data plane: in each of its Pods the addresses of
// the Pods that are ready, and no others.
package upstreams
