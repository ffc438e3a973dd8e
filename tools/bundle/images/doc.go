// Package images tells which container images a stack asks for: it renders each chart with the
// stack's values, as Helm does, and reads the Pods in that and in the program's own objects. It
// does not own where the images come from (package registry).
//
// What the cluster itself makes of custom resources is not seen, such as what Argo CD syncs from a
// repository.
package images
