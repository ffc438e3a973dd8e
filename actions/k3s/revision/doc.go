// Package revision raises the revision of etcd's snapshots, from which a restored cluster
// continues.
//
// A client of Kubernetes watches from the revision that it has seen last. A restored cluster
// continues from the snapshot's revision. A watch from a later one waits without an error, for
// hours if the snapshot is hours old. Meanwhile kube-proxy, CoreDNS, MetalLB and every controller
// act on the old state (kubernetes/kubernetes#107457, etcd-io/etcd#16028). K3s's own restore does
// not prevent that (pkg/etcd/etcd.go, Restore).
//
// Packages restore and backup own the restore, and the transfer of a snapshot to a server.
//
// Guarantees: a copy holds the snapshot's content; a damaged snapshot does not become a sound
// one; only its owner may read a copy.
package revision
