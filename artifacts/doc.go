// Package artifacts owns the binaries, charts and images that a stack installs: the source of each,
// its version and sha256, and its file in the project.
//
// A bundle folder has a manifest with its sums. Upstream's sums are in strata.lock, which `strata
// fetch` writes. The lock also has the sums of this repository's own images, which fetch builds
// because no upstream has them. The rest of the program treats all of them alike. Every use
// verifies the sum. Resolve only reads the manifest or the lock, so a preview downloads and hashes
// nothing. Materialise puts the files in place.
//
// It does not own the pins (package config) and knows nothing about hosts, clusters or Pulumi.
package artifacts
