// Package cluster talks to one API server.
//
// It owns the clients, discovery with a cache that a miss invalidates, and
// scope (namespaced or not). It does not decide when an object is ready
// (package await) nor what is stored of it (package server).
package cluster
