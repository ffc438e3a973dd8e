// Package vault gates a Vault server in the cluster: initialised, unsealed and active.
package vault
