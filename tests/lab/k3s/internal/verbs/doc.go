// Package verbs implements K3s's command line: server, agent, kubectl, crictl, ctr and
// etcd-snapshot.
//
// It owns the dispatch and the commands that end at once. It does not own the work of a server or a
// node. A K3s command that the lab does not have fails with exit code 1 and a message.
package verbs
