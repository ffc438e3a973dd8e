// Package e2e runs Strata as a user does, through its commands, on lab machines: real SSH, real
// Kubernetes, the real Pulumi CLI. Each file is one story. A story has a bridge, subnet, names,
// backend and PULUMI_HOME of its own. It cleans up before it starts and after it ends, and dumps
// hosts and cluster when it fails.
//
// Stories run in parallel, because they wait most of the time. If a story counts lost requests or
// the time without an answer, its machines get processor time before those of others.
//
//	E2E_KEEP=1   leaves a failed story's machines as they are, and says how to inspect them
package e2e
