// Package preflight finds what can be known before the first change: of hosts that exist, of the
// hypervisor that is to carry VMs, and of a cluster that exists. It asks everything at once, within
// a bound, and changes nothing. Which checks a host must pass is the gates' word (health/host); the
// package adds what only a comparison of hosts, or an observation before a creation, can tell.
package preflight
