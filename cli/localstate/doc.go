// Package localstate prepares Pulumi's storage of a stack for a user who works alone: a folder for
// the state, and a file with the passphrase that encrypts the state's secrets. Both are in the home
// directory.
//
// It removes nothing, and keeps an existing passphrase. Callers must not prepare the storage if
// FindChoice finds another one. A team needs a shared storage instead (docs/team.md).
package localstate
