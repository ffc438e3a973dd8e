// Package revision raises the revision in an etcd snapshot, so that clients notice the restore.
//
// A Kubernetes client watches from the last revision that it has seen. A restored cluster continues
// from the snapshot's revision. A watch from a later revision waits without an error, for hours if
// the snapshot is hours old. Meanwhile kube-proxy, CoreDNS, MetalLB and every controller act on
// outdated data (kubernetes/kubernetes#107457, etcd-io/etcd#16028). K3s's own restore does not
// prevent that (pkg/etcd/etcd.go, Restore).
//
// The restore itself, and the transfer of a snapshot to a server, are in packages restore and
// backup.
//
// A copy has the snapshot's content. A damaged snapshot is refused. Only its owner may read a copy.
package revision
