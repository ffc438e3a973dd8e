// Package host owns the operations of nspawn's packages on this machine. It runs programs, and has
// locks that all processes share, atomic files, the shared sysctls, and the wait for objects that
// the kernel still holds.
//
// It does not own their purpose, and knows a machine only by the name that a caller gives.
//
// Guarantees: a lock has one holder at a time, although its file comes and goes. A wait ends with
// its context. A sysctl is raised, never lowered. A mount or link that this machine's owner put in
// place of a directory stays.
package host
