// Package conformance checks the command, random and kubernetes plugins against one table of the
// behaviour that Strata depends on.
//
// The same cases run against the lab's plugins and against the official ones. Each starts the
// plugin's binary, speaks the provider protocol with it and acts like the engine on each resource
// (check, diff, create, update, replace, delete, refresh, preview). The lab's command and random
// are stand-ins. Its kubernetes is the official one of January 2026, edited to behave like later
// versions: the rows check it against the program's version.
//
// STRATA_PLUGINS is stand-in (default: built by the lab) or official. STRATA_PLUGINS_DIR is a
// folder with pulumi-resource-NAME binaries, with or without -vVERSION, or a PULUMI_HOME; official
// needs it. STRATA_CONFORMANCE_RESULTS is a file for the outcomes; results/ has those of both sets.
// The official plugins there were built from the sources of their releases. The kubernetes one's
// schema only has the kinds that Kubernetes 1.36 still serves, which affects imports.
//
// APISIX_CONTROLLER is a binary of APISIX's ingress controller, built from its repository, and
// ORIGINALS a folder with the CRDs that it reads. Its statuses are compared with the table of the
// lab's stand-in.
//
// It needs no network beyond loopback: API server and etcd (controlplane/) and the SSH server run
// here.
package conformance
