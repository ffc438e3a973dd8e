// Package backup takes etcd snapshots of a stack's cluster, and restores them. It reads the cluster
// from the stack's state, so it needs neither the program nor its configuration.
//
// It makes the checks that precede every change of a restore: which servers are left, which one has
// the snapshot, and whether a login works afterwards (docs/adr/0026). The steps on the hosts are in
// package k3s/restore; the snapshot schedule is K3s's configuration.
//
// A Plan changes nothing before Run. A copied snapshot appears only when it is complete. Only its
// owner may read it, because it contains every Secret of the cluster.
package backup
