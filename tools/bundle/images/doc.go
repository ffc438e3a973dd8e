// Package images lists the container images that a stack uses. It renders each chart with the
// stack's values, as Helm does, and reads the Pods in the result and in the program's own objects.
// It does not own the images' registries (package registry).
//
// It does not see objects that the cluster makes from custom resources, such as those that Argo CD
// syncs from a repository.
package images
