// Package plugin runs a resource plugin's binary and acts on it like the engine.
//
// It owns finding or building the binary, its process, its log lines, and the lifecycle of one
// resource. It does not own expectations.
package plugin
