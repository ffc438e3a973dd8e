// Package leftovers finds what an interrupted or blocked destroy leaves: hosts that do not answer
// and so block it, and virtual machines that the state does not contain. It compares a state with
// the existing hosts and machines, and prints the commands that clean up. It can remove dead hosts
// from the state, but never a machine.
package leftovers
