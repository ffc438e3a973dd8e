// Package restore takes etcd snapshots and restores one, from outside the cluster. It restores as
// K3s documents it (docs.k3s.io/cli/etcd-snapshot): every server stops, one becomes the only member
// with the snapshot's data, and the others join it anew. Agents are restarted last, because they
// have seen newer data than the API now holds. It does not own the schedule, which is K3s's
// configuration.
package restore
