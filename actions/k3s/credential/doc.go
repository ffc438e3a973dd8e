// Package credential gives a stack a client certificate of its own for its cluster. K3s's own, in
// k3s.yaml, lives for a year. Only a restart of K3s renews it, and only on the host, so every copy
// of it ends.
//
// It owns the Request, the Issued credential and the procedure. The certificates API of
// Kubernetes signs one certificate for a user with the role cluster-admin, and one for a user that
// can only read. The API is asked with K3s's own kubeconfig, which is read over SSH from a server
// each time. The private keys are made here and are in the output alone: in no argument, log or
// error. The package does not own the time of a renewal: the program's calendar decides it
// (Generation).
package credential
