// Package fault injects faults into lab machines and clears them.
//
// A fault consists of the `lab machines` commands that inject and clear it. Both may be repeated.
// They do not use SSH, so a fault can be cleared when the machine's network or sshd is broken.
package fault
