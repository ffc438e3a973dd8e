// Package crds applies a bundle of CRDs to a cluster, and removes it again. It uses server-side
// apply, because some CRDs are larger than an annotation may be. It refuses to overwrite a CRD that
// another program has installed, and names that program; it also refuses to replace a newer release
// with an older one. It does not wait until the CRDs are served; the crds gate does.
//
// A bundle is one Pulumi resource, not one for each CRD: the CRDs are megabytes, which Pulumi would
// write to the state at every step (docs/adr/0007).
package crds
