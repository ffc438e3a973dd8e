// Package ext stands in for Traefik's module of that name: it is a folder of Traefik's repository
// with a go.mod of its own, so it is in no published module, and its two types are empty there as
// well.
package ext

// HTTP extends the configuration of HTTP in Traefik's commercial edition.
type HTTP struct{}

// Router extends that of a router.
type Router struct{}
