// Package host has the operations on this host that the packages of machines share: running
// programs, locks between processes, atomic file writes, sysctls, and retries for objects that the
// kernel still uses.
//
// It knows a machine only by name.
//
// Guarantees: a lock has one holder at a time, although its file is removed and created again. A
// wait ends with its context. A sysctl is raised and never lowered. A mount point or link that the
// host's owner has put in place of a directory is not removed.
package host
