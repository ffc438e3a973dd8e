// Package ownership changes by hand whose hosts and machines are (docs/host-ownership.md): it
// releases them from their stack, or adopts them.
//
// It owns the change of marks on several hosts, and what is said about each. It does not own the
// marks: a host's is package k3s/node's, a machine's that of package hypervisor, which also
// decide whose a host or machine is.
//
// Without Yes nothing is changed. One host that fails does not hold up the others, and what runs on
// a host goes on.
package ownership
