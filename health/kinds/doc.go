// Package kinds is the table from a kind of gate to its constructor, and the way to ask a gate of
// any kind. It is the only package that knows them all.
package kinds
