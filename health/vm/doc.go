// Package vm gates a virtual machine from outside: it runs, and has its address if it gets that
// from DHCP.
package vm
