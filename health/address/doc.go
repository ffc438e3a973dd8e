// Package address gates a Service of type LoadBalancer: it has an address of its pool, and a node that
// announces the address answers there, from this machine and from the hosts.
package address
