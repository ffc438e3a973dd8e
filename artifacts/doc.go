// Package artifacts manages the binaries, charts and images that a stack installs: the source of
// each, its version and SHA-256 sum, and its file in the project.
//
// The sums of a bundle folder are in its manifest. Those of upstream files are in strata.lock,
// which `strata fetch` writes. The lock also has the sums of this repository's own images, which
// fetch builds because no registry has them. The sum is verified at every use. Resolve only reads
// the manifest or the lock, so a preview downloads and hashes nothing; Materialise puts the files
// in place.
//
// The pinned versions are in package config. This package does not depend on hosts, clusters or
// Pulumi.
package artifacts
