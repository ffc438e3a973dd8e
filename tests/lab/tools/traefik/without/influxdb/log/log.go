// Package log has the logger that Traefik removes.
package log

// Logger logs.
type Logger any

// Log is none.
var Log Logger
