// Package crds applies a bundle of CRDs to a cluster, and removes it again. It uses server-side
// apply, because some CRDs are larger than an annotation may be. Each CRD has one owner: a CRD that
// another program has installed is refused, and the error names that program. An older release
// never replaces a newer one. The package does not wait until the definitions are served: the crds
// gate does.
//
// A bundle is one resource of the program instead of one for each definition. The definitions are
// megabytes, and the state would write them at every step (docs/adr/0007).
package crds
