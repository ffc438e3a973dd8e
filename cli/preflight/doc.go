// Package preflight reports problems before the first change: of existing hosts, of the hypervisor
// for VMs, and of an existing cluster. It runs all checks in parallel, within a time limit, and
// changes nothing. It runs each host's own gate (health/host). It adds the checks that compare
// several hosts, and those that are only possible before something is created.
package preflight
