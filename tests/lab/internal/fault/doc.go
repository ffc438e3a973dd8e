// Package fault breaks lab machines on purpose, from outside and without SSH, and mends them again.
//
// A fault is data: what to run in the machine (or with it) to inject, and to clear. Both may be
// repeated. It reaches a machine through `lab machines`, so that it works when the machine's
// network or sshd is what is broken.
package fault
