// Package network owns the bridge that joins machines on this host: its address and packet filter
// rules, the checks that subnet and addresses are free, and the interface of one machine.
//
// It does not own which machines there are, which a caller answers under the bridge's lock, nor the
// network's configuration inside one (rootfs).
//
// Guarantees: a bridge that was not made here is never changed nor removed; every rule carries the
// comment of its bridge, and goes with it; a subnet that this host reaches another way is refused.
package network
