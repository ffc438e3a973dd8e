// Package address gates a Service of type LoadBalancer: it must have an IP address, and its ports
// must accept connections there, from this machine and from the hosts.
package address
