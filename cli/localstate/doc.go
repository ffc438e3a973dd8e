// Package localstate prepares Pulumi's storage of a stack for a user who works alone. It makes a
// folder for the state and a file with the passphrase that encrypts its secrets, both in the home
// directory.
//
// It removes nothing: an existing passphrase stays, and it prepares nothing if the user has chosen
// a state or a passphrase. Teams keep both elsewhere (docs/team.md).
package localstate
