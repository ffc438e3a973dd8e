// Package pki creates the CAs, certificates and kubeconfigs of a K3s server in
// /var/lib/rancher/k3s/server, with K3s's file names.
//
// It owns the files in tls/ and cred/. It does not own their transfer to a joining server
// (supervisor) or to an agent. It keeps existing keys and CAs, so that a restart changes no
// identity. Private keys have mode 0600.
package pki
