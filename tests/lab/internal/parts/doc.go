// Package parts lists the real parts of a lab and its stand-ins, and the versions that differ from
// Strata's pins. It reads the manifests that the build wrote and the pins in the sources, and has
// no list of its own.
package parts
