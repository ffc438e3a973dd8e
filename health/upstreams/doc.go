// Package upstreams gates the routes in APISIX's data plane: each of its Pods must have exactly the
// addresses of the ready Pods behind each route.
package upstreams
