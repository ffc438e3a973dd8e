// Package bundle assembles a folder of artifacts with their manifest: the form in which Strata
// takes K3s, charts and images when it cannot or shall not reach upstream. Strata's side of it is
// artifacts.
//
// A folder appears whole: it is put together beside its place and exchanged in one system call, and
// is left alone when nothing changed.
package bundle
