// The stand-in kubernetes plugin manages any object of a Kubernetes API server
// and Helm releases, with the observable behaviour of the official plugin 4.32.0
// for what Strata uses.
//
// Packages: server (the provider protocol, checkpoints, diffs), cluster (clients
// and discovery), await (readiness and deletion), difference (of two
// trees), release (helm.sh/v3:Release).
//
// It does not own charts and manifests as components (helm.sh/v4:Chart, yaml,
// kustomize), client-side apply, invokes, and the typed schema: any
// kubernetes:GROUP/VERSION:Kind token is an object of that kind.
//
// tests/conformance holds both plugins to the same table.
package main
