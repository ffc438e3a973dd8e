// Package vm gates a virtual machine through its hypervisor: the machine must run and, if it uses
// DHCP, have its address.
package vm
