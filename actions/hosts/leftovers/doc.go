// Package leftovers finds the remains of a destroy: hosts that do not answer and so block it, and
// virtual machines that the state does not have.
//
// It compares a state with the hosts and machines that exist, and tells users the next step. It
// does not own the machines (package hypervisor), whose marks name their owner. It removes no
// machine.
package leftovers
