// Package seed owns cloud-init's seed of a virtual machine: the NoCloud files and their disk.
//
// It does not own the place of the disk, which the driver chooses.
//
// Guarantees: the machine has its SSH host key before its sshd first starts. cloud-init treats a
// recreated machine as a new instance. No part of the seed stays on this machine.
package seed
