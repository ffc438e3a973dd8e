// Package credential issues a client certificate of its own to a stack. K3s's own, in k3s.yaml, is
// valid for a year, and only a restart of K3s renews it, on the host, so every copy of it expires.
//
// The certificates API of Kubernetes signs one certificate for a user with the role cluster-admin,
// and one for a read-only user. The API is called with K3s's own kubeconfig, which is read over SSH
// from a server each time. The private keys are generated here and appear only in the output, never
// in an argument, a log or an error. When a certificate is renewed is up to the program
// (Generation).
package credential
