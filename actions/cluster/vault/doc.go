// Package vault sets up one Vault server that runs in the cluster: it initialises and unseals it,
// and configures its public key infrastructure and the login of cert-manager.
//
// It owns the requests to Vault's API, and their order. It does not own Vault's objects in the
// cluster (package components), nor whether Vault works (package health).
//
// Every step can be repeated: it keeps existing parts and makes missing ones. Keys travel over TLS
// that is verified against the server's own CA, through a forwarded port, so nothing of the ingress
// needs to work yet and no proxy sees them.
package vault
