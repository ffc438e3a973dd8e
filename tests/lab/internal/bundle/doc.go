// Package bundle assembles a folder of artifacts with a manifest. If strata:artifacts.source names
// the folder, Strata takes K3s, charts and images from the folder and not from upstream.
//
// A bundle is always complete: it is assembled in a folder next to its path, and both are exchanged
// in one system call. An unchanged bundle is not written again.
package bundle
