// Package registry pulls images for one architecture from the registries of a stack's nodes: the
// mirrors of k3s.registries, then the image's own registry. It writes each into an archive that K3s
// imports at its start, with the registry's digests.
//
// Logins are those of k3s.registries if they can be read, else Docker's and Podman's own (docker
// login, podman login).
package registry
