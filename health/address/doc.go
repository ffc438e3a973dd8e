// Package address gates a Service of type LoadBalancer. It checks that the Service has an IP
// address and that its ports accept connections there, from this machine and from the hosts.
package address
