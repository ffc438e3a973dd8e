// Package conformance checks the command, random and kubernetes plugins against one table of the
// behaviour that Strata depends on.
//
// The same cases run with the lab's plugins and with the official ones. A case starts the plugin's
// binary, and acts on a resource like the engine, by the provider protocol (check, diff, create,
// update, replace, delete, refresh, preview). The lab's command and random plugins are stand-ins.
// Its kubernetes plugin is the official one of January 2026, changed to behave like later versions.
// The table shows whether it behaves like the version that the program uses.
//
// STRATA_PLUGINS is stand-in (default: built by the lab) or official. STRATA_PLUGINS_DIR is a
// folder with binaries pulumi-resource-NAME, with or without -vVERSION, or a PULUMI_HOME; official
// requires it. STRATA_CONFORMANCE_RESULTS is a file for the outcomes; results/ has the committed
// ones. The official plugins in these results were built from the sources of their releases. The
// schema of their kubernetes plugin was generated again, which affects imports
// (tests/lab/originals.md).
//
// APISIX_CONTROLLER is a binary of APISIX's ingress controller, built from its repository.
// ORIGINALS is a folder with the CRDs that the controller reads. A test compares the controller's
// statuses with those of the lab's stand-in.
//
// The tests need no network beyond loopback: the API server and etcd (controlplane/) and an SSH
// server run on this machine.
package conformance
