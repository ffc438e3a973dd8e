// Package localstate prepares where Pulumi keeps a stack for a person who works alone: a folder for
// the state and a file with the passphrase that encrypts its secrets, both in the home directory.
//
// It takes nothing away: a passphrase that is there stays, and nothing is prepared where a state or
// a passphrase has been chosen. Teams keep both elsewhere (docs/team.md).
package localstate
