// Package localstate prepares Pulumi's storage of a stack for a user who works alone: a folder for
// the state, and a file with the passphrase that encrypts the state's secrets. Both are in the home
// directory.
//
// It removes nothing and keeps an existing passphrase. It prepares nothing if the user has already
// selected a state backend or a passphrase. Teams keep both elsewhere (docs/team.md).
package localstate
