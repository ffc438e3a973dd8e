// Package verbs is K3s's command line: server, agent, kubectl, crictl, ctr, etcd-snapshot.
//
// It owns: the dispatch and the one-shot verbs. It does not own: the work of a server or a node. It
// guarantees: a verb that K3s has and the lab has not fails with exit code 1 and says so.
package verbs
