// Package vault gates a Vault server in the cluster: initialised, unsealed, active, and with the
// rights of its release.
package vault
