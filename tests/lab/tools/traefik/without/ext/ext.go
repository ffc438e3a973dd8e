// Package ext stands in for Traefik's module ext. That module is a folder of Traefik's repository
// with a go.mod of its own, and is not published. Its two types are empty there as well.
package ext

// HTTP is the extension of the HTTP configuration in Traefik's commercial edition.
type HTTP struct{}

// Router is the extension of a router's configuration.
type Router struct{}
