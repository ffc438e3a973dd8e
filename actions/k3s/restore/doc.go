// Package restore takes etcd snapshots and restores one, from outside the cluster. It follows K3s's
// documentation (docs.k3s.io/cli/etcd-snapshot): every server stops, one becomes the only member
// with the snapshot's data, and the others rejoin. Agents are restarted last, because they have
// seen newer data than the API now has. The snapshot schedule is K3s's configuration.
package restore
