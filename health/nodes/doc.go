// Package nodes gates the exact node set: each unit on its host, each Node Ready with a kubelet
// that lives, routes between Pods, none missing and none extra.
package nodes
