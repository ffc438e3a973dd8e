// Package leftovers finds what a destroy leaves: hosts that do not answer and so keep it from
// ending, and virtual machines that the state does not know.
//
// It owns the comparison of a state with what is there, and what a person is told to do. It does
// not own the machines (package hypervisor), whose marks say whose they are. It removes nothing.
package leftovers
