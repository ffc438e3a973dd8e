// Package plugin runs a resource plugin's binary and does with it what the
// engine does.
//
// It owns finding or building the binary, its process, the log lines that it
// sends, and the lifecycle of one resource. It does not own expectations.
package plugin
