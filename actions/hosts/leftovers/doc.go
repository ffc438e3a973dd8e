// Package leftovers finds what a destroy leaves: hosts that do not answer and so keep it from
// ending, virtual machines that the state does not know, and machines of this host that are half
// made.
//
// It owns the comparison of a state with what is there, and what a person is told to do. It does
// not own the machines (packages nspawn and vm), whose marks say whose they are.
//
// Only half-made machines of this host are removed, and only those of the stack's own cluster where
// that is known. All else stays as it is.
package leftovers
