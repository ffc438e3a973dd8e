// Package backup takes snapshots of the etcd of a stack's cluster, and goes back to one: it knows
// the cluster from the stack's state, so that it needs neither the program nor its configuration.
//
// It owns what is found out before a restore changes anything: which servers are left, which has
// the snapshot, and whether a login works afterwards (docs/adr/0026). It does not own the steps on
// the hosts (package k3s/restore) nor the schedule, which is K3s's configuration.
//
// A Plan only reads until Run. A copy of a snapshot is whole or not there, and for its owner only:
// it holds every Secret of the cluster.
package backup
