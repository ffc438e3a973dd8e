// Package vault sets up a Vault server that runs in the cluster: it initializes and unseals the
// server, and configures its PKI and the login of cert-manager.
//
// Package components creates Vault's objects in the cluster, and package health checks whether
// Vault works.
//
// Every step can be repeated: it keeps existing parts and creates missing ones. Keys are only sent
// over TLS, verified with the server's own CA, through a forwarded port. So the ingress need not
// work yet, and no proxy sees the keys.
package vault
