// Package registry pulls images for one architecture, from where a stack's nodes would: the mirrors
// of k3s.registries, then the image's own registry. It writes each into an archive that K3s imports
// at its start, with the digests that the registry has.
//
// Logins are those of k3s.registries where they can be read, and else Docker's and Podman's own
// (docker login, podman login).
package registry
