// Package kinds is the table of the kinds of gates. Only this package imports them all: it parses a
// gate's Spec from JSON, and runs a gate of any kind.
package kinds
