// Package vault gates a Vault server in the cluster: the server must be initialised, unsealed and
// active, and have the rights of its Helm release.
package vault
