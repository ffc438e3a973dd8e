// Package artifacts manages the binaries, charts and images that a stack installs: the source of
// each, its version and SHA-256 sum, and its file in the project.
//
// Artifacts come from upstream or from a bundle, a folder with copies of them. A bundle's manifest
// has the sums of its files. The lock, strata.lock, has the sums of upstream files and of Strata's
// own images; `strata fetch` downloads or builds these, and writes their sums. Resolve only reads
// the manifest or the lock. Materialise puts the files in place and verifies their sums. A preview
// downloads nothing.
//
// The pinned versions are in package config. This package does not depend on hosts, clusters or
// Pulumi.
package artifacts
