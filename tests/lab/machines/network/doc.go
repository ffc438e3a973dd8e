// Package network manages the bridge that connects machines on this host: its address and packet
// filter rules, the checks that the subnet and addresses are free, and the interface of each
// machine.
//
// It does not know the list of machines: callers provide it while the bridge's lock is held. It
// does not own the network configuration inside a machine (rootfs).
//
// Guarantees: a bridge that Ensure did not create is never changed or removed. Every rule has the
// comment of its bridge, and is removed with the bridge. A subnet to which this host has another
// route is rejected.
package network
