// Package parts tells what of a lab is real and what is a stand-in, and where a version differs
// from Strata's pin. It reads the manifests that the build wrote and the pins in the sources, and
// has no list of its own.
package parts
