// Package kinds lists all kinds of gates; no other package imports them all. It parses a gate's
// Spec from JSON, and runs a gate of any kind.
package kinds
