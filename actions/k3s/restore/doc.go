// Package restore owns etcd's snapshots from outside: one taken now, and the way back to one. The
// way back is K3s's own (docs.k3s.io/cli/etcd-snapshot): every server stops, one becomes the only
// member with the snapshot's data, the others join it anew. Agents are restarted last, since what
// they have seen of the API is newer than what it holds now. It does not own the schedule, which is
// K3s's configuration.
package restore
