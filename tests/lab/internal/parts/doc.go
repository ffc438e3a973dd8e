// Package parts lists which parts of a lab are real and which are stand-ins, and which versions
// differ from Strata's pins. It reads the manifests that the build wrote, and the pins in the
// sources.
package parts
