// Package upstreams gates the routes in APISIX's data plane. Each of the data plane's Pods must
// have exactly the addresses of the ready Pods behind each route.
package upstreams
