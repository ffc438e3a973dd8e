// Package e2e runs Strata like a user, through its commands, on lab machines: with real SSH, real
// Kubernetes and the real Pulumi CLI. Each file is one story. A story has its own bridge, subnet,
// names, backend and PULUMI_HOME. It cleans up before it starts and after it ends. If it fails, it
// dumps the state of the hosts and the cluster.
//
// Stories run in parallel, because they wait most of the time. While a story counts lost requests
// or measures outages, its machines get processor time before those of others.
//
//	E2E_KEEP=1   leaves a failed story's machines as they are, and says how to inspect them
package e2e
