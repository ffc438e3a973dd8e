// Package artifacts owns the binaries, charts and images that a stack installs: where each comes
// from, which version and sha256 it has, and its file in the project.
//
// A bundle folder carries a manifest with its sums; upstream's sums are in strata.lock, which
// `strata fetch` writes, and so are those of this repository's own images, which it builds because
// no upstream has them. The rest of the program cannot tell these apart. Every use verifies the
// sum. Resolve only reads the manifest or the lock, so a preview downloads nothing and hashes
// nothing; Materialise puts the files in place.
//
// It does not own the pins (package config) and knows nothing about hosts, clusters or Pulumi.
package artifacts
