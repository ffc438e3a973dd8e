// Package plugin runs the binary of a resource plugin, and acts on it like the engine.
//
// It finds or builds the binary, runs it, collects its log lines, and manages one resource. The
// assertions are in package conformance.
package plugin
