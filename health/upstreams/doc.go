// Package upstreams gates what APISIX's data plane has for routes: in each of its Pods the
// addresses of the Pods that are ready, and no others.
package upstreams
