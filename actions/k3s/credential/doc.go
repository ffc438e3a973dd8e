// Package credential gives a stack a client certificate of its own for its cluster. K3s's own, in
// k3s.yaml, lives for a year and is renewed by a restart of K3s on the host only, so every copy of
// it dies.
//
// It owns the Request, the Issued credential and the way: the certificates API of Kubernetes signs
// it for a user that is bound to the role cluster-admin, and for another that can only read. It is
// asked with K3s's own kubeconfig, which is read over SSH from a server each time. The private keys
// are made here and are in the output alone: in no argument, log or error. It does not own when:
// the program's calendar does (Generation).
package credential
