// Package datastore runs the embedded etcd of a K3s server: as the first member of a new cluster,
// after a restart, or as a learner that joins a cluster. It also keeps etcd's members consistent
// with the Nodes.
//
// It owns /var/lib/rancher/k3s/server/db, membership, promotion, removal and snapshots. It does not
// own CAs and keys (pki), or other fields of Nodes (node). There is at most one learner at a time,
// because etcd rejects a second. Errors and log lines are those of K3s if users or tools may search
// for them.
package datastore
