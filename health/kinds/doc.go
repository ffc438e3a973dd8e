// Package kinds is the table of the kinds of gates. It is the only package that knows them all: it
// reads a gate's Spec from JSON, and asks a gate of any kind.
package kinds
