// Package driver owns what the drivers of virtual machines have in common: the interface that they
// implement, how the hypervisor's commands are run and quoted, what their errors mean, and how a
// guest's agent is read.
//
// It does not own any hypervisor's commands, nor when something is done.
//
// Guarantees: an error names the hypervisor and the command, and the cause where the command's
// words are known; no secret is part of a command.
package driver
