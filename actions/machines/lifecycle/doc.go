// Package lifecycle creates, changes, restarts, marks, deletes and surveys virtual machines with
// any driver, and copies their image to the hypervisor. Pulumi resources run its verbs.
//
// It does not wait for a boot; the gates do. So a machine that does not boot is in the state, and
// can be examined and destroyed.
//
// Every action may be repeated and interrupted. A failed creation leaves no parts. A stack's
// machines restart one after the other, each until its node works again. Only machines with this
// stack's mark are changed or deleted.
package lifecycle
