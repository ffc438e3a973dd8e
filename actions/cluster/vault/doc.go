// Package vault sets up one Vault server that runs in the cluster: it initialises and unseals it,
// and configures its public key infrastructure and the login of cert-manager.
//
// It owns what Vault's API is asked, and in which order. It does not own Vault's objects in the
// cluster (package components), nor whether Vault works (package health).
//
// Every step can be repeated: what is there is kept, what is not is made. Keys travel over TLS that
// is verified against the server's own CA, through a forwarded port, so nothing of the ingress
// needs to work yet and no proxy sees them.
package vault
