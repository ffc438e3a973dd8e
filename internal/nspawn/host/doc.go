// Package host owns how the packages of nspawn act on this machine: programs that are run, locks
// that all processes share, files that are whole or absent, the shared sysctls, and the wait while
// the kernel still holds something.
//
// It does not own what any of that is for, and knows no machine but by the name that a caller
// gives.
//
// Guarantees: one holder of a lock at a time, though its file comes and goes; a wait ends with its
// context; a sysctl is raised, never lowered; what this machine's owner put in the place of a
// directory stays.
package host
