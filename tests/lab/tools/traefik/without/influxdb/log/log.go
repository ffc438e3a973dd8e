// Package log is a stub of the InfluxDB client's logger, which Traefik sets to nil.
package log

// Logger is the type of a logger.
type Logger any

// Log is the client's logger, nil here.
var Log Logger
