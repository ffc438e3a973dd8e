// The stand-in command plugin runs commands on this machine and over SSH.
//
// It owns the resources command:local:Command and command:remote:Command, with the observable
// behaviour of the official plugin 1.2.1, its traps included: a resource timeout kills only the
// local shell and never a remote command, a logged line over 64 KiB stops the command for good, and
// any changed input runs the update. A program that works here works with the official plugin.
//
// It does not own the parts that Strata does not use: the other resources and functions, assets and
// archives, other shells and folders, bastions, and logins by password.
//
// tests/conformance holds both plugins to the same table.
package main
