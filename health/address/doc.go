// Package address gates a Service of type LoadBalancer: it has an address of its pool, and the
// address answers from here and from the hosts, as the one who holds it there.
package address
