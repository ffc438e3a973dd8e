// Package gobuild compiles Go commands, each from a module of its own, into static binaries that
// are the same for the same sources. It owns the flags and the inputs' digest, not the list of
// commands (package catalog).
package gobuild
