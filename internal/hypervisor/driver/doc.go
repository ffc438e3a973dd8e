// Package driver holds the common parts of the drivers of virtual machines. These are the drivers'
// interface, the running and quoting of the hypervisor's commands, the causes of their errors, and
// the reading of a guest's agent.
//
// It owns neither a hypervisor's commands nor the order of operations.
//
// Guarantees: an error names the hypervisor, the command, and the cause if the message is known. No
// command contains a secret.
package driver
