// Package plugin runs the binary of a resource plugin, and acts on it like the engine.
//
// It finds or builds the binary, runs its process, collects its log lines, and manages one
// resource. It has no expectations.
package plugin
