// Package bundle assembles a folder of artifacts with a manifest. Strata's package artifacts reads
// such a folder. Strata takes K3s, charts and images from it if upstream cannot or must not be
// used.
//
// A bundle is always complete: it is assembled in a folder next to its path, and both are exchanged
// in one system call. An unchanged bundle is not written again.
package bundle
