// Package address gates a Service of type LoadBalancer. The Service must have an address of its
// pool, and that address must answer from this machine and from the hosts. The machine that answers
// must be a node that announces the address.
package address
