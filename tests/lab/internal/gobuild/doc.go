// Package gobuild compiles Go commands into static binaries. Each command has a Go module of its
// own. Equal sources give equal binaries. Package catalog has the list of commands; this package
// has the compiler's flags and the digest of the inputs.
package gobuild
