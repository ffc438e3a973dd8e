// Package vm gates a virtual machine from outside: it runs, and has its address where DHCP gives
// it.
package vm
