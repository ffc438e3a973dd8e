// Package datastore runs the embedded etcd of a K3s server: a new cluster, a restart, or a join as
// a learner; and it keeps the membership in step with the Nodes.
//
// It owns: /var/lib/rancher/k3s/server/db, membership, promotion, removal, snapshots. It does not
// own: key material (pki), the Node objects' other fields (node). It guarantees: one learner at a
// time (etcd refuses a second), the same errors and log lines as K3s where a person or a tool would
// look for them.
package datastore
