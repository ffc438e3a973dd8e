// Package bundle assembles a folder of artifacts with their manifest. Strata takes K3s, charts and
// images from such a folder if it cannot or must not reach upstream. Strata's package artifacts
// reads the folder.
//
// A folder appears complete: it is assembled beside its final path and exchanged in one system
// call. It is not touched if nothing changed.
package bundle
