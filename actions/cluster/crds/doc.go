// Package crds puts a bundle of CRDs into a cluster, and takes it out again: by server-side apply,
// because some are larger than an annotation may be; with one owner, so one that another program
// has installed is refused by name; and never an older release over a newer one. It does not wait
// until the definitions are served: the crds gate does.
//
// A whole bundle is one resource of the program and not one for each definition: the definitions
// are megabytes that would be written with the state at every step (docs/adr/0007).
package crds
