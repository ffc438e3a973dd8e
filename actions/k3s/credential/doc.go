// Package credential issues client certificates for a stack. K3s's own certificate, in k3s.yaml, is
// valid for a year. Only a restart of K3s renews it, and only on the host, so every copy expires.
//
// The certificates API of Kubernetes signs one certificate for a user with the role cluster-admin,
// and one for a read-only user. The API is called with K3s's own kubeconfig, which is read over SSH
// from a server each time. The private keys are generated here and appear only in the output, never
// in an argument, a log or an error. The program decides when a certificate is renewed
// (Generation).
package credential
