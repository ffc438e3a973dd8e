// Package seed owns cloud-init's seed of a virtual machine: NoCloud's files and the disk that they
// are on.
//
// It does not own where the disk is put, which is the driver's.
//
// Guarantees: the machine has its SSH host key before its sshd first starts; a machine that is made
// anew is another instance to cloud-init; nothing of the seed stays on this machine.
package seed
