// Package network owns the bridge that joins machines on this host. It has the bridge's address and
// packet filter rules, the checks that subnet and addresses are free, and the interface of one
// machine.
//
// It does not own the list of machines, which a caller supplies under the bridge's lock, nor the
// network's configuration inside a machine (rootfs).
//
// Guarantees: a bridge that was not made here is never changed nor removed. Every rule carries the
// comment of its bridge, and goes with it. A subnet that this host reaches another way is refused.
package network
