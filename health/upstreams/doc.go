// Package upstreams gates the routes in APISIX's data plane. Each of its Pods must have the
// addresses of the ready Pods behind each route, and no others.
package upstreams
