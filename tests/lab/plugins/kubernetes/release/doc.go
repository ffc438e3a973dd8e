// Package release is kubernetes:helm.sh/v3:Release: a Helm release through the
// Helm SDK.
//
// It owns inputs, status, install, upgrade, uninstall and what a failed one
// stores. It does not own the cluster's clients (package cluster).
//
// A first install that failed and left a release is stored with its reasons, so
// that the next update upgrades it; one that left none stores nothing.
package release
