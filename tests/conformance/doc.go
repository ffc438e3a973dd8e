// Package conformance holds the command, random and kubernetes plugins to one
// table of what Strata relies on.
//
// The same cases run against the lab's plugins and against the official ones:
// each starts the plugin's binary, speaks the provider protocol with it and does
// per resource what the engine does (check, diff, create, update, replace,
// delete, refresh, preview). The lab's command and random are stand-ins. Its
// kubernetes is the official one of January 2026, with edits for what later
// versions do: the rows hold these to the version that the program has.
//
// STRATA_PLUGINS is stand-in (default: built by the lab) or official.
// STRATA_PLUGINS_DIR is a folder with pulumi-resource-NAME binaries, with or without -vVERSION, or
// a PULUMI_HOME; official needs it. STRATA_CONFORMANCE_RESULTS is a file to write the outcomes to;
// results/ has those of both sets. The official plugins there were built from the sources of their
// releases; the kubernetes one's schema has only the kinds that Kubernetes 1.36 still serves, which
// matters to imports.
//
// APISIX_CONTROLLER is a binary of APISIX's ingress controller, built from its
// repository, and ORIGINALS a folder with the CRDs that it reads: its statuses
// are held against the table of the lab's stand-in.
//
// It needs no network beyond loopback: API server and etcd (controlplane/) and
// the SSH server run here.
package conformance
