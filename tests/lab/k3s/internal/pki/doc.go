// Package pki makes the certificate authorities, certificates and kubeconfigs of a K3s server under
// /var/lib/rancher/k3s/server, with K3s's file names.
//
// It owns: the files in tls/ and cred/. It does not own: how they travel to a joining server
// (supervisor) or to an agent. It guarantees: existing files are kept, so that a restart changes no
// identity; private keys are 0600.
package pki
