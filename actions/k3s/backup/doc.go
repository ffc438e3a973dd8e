// Package backup takes snapshots of the etcd of a stack's cluster, and restores one. It reads the
// cluster from the stack's state, so it needs neither the program nor its configuration.
//
// It owns the checks before a restore changes anything: which servers are left, which has the
// snapshot, and whether a login works afterwards (docs/adr/0026). It owns neither the steps on the
// hosts (package k3s/restore) nor the schedule, which is K3s's configuration.
//
// A Plan only reads until Run. A copy of a snapshot appears only when it is complete. Only its
// owner may read it, because it holds every Secret of the cluster.
package backup
