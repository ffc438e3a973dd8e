// Package preflight reports problems before the first change: of existing hosts, of the hypervisor
// for VMs, and of an existing cluster. It runs all checks at once, within a time limit, and changes
// nothing. The gates define the checks of a host (health/host). The package adds checks that need a
// comparison of hosts, or an observation before a creation.
package preflight
