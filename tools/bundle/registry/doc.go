// Package registry pulls images for one architecture from the registries of a stack's nodes: the
// mirrors of k3s.registries, then the image's own registry. It writes each image into an archive
// that K3s imports at its start, with the registry's digests.
//
// It uses the logins of k3s.registries if they can be read, and otherwise those of Docker and
// Podman (docker login, podman login).
package registry
