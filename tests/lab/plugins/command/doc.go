// The stand-in command plugin runs commands on this machine and over SSH.
//
// It implements the resources command:local:Command and command:remote:Command with the observable
// behaviour of the official plugin 1.2.1, including its surprising parts. A resource timeout kills
// only the local shell, and never a remote command. A logged line of more than 64 KiB blocks the
// command forever. Any changed input runs the update command. A program that works with this plugin
// works with the official one.
//
// It does not implement the parts that Strata does not use: other resources and functions, assets
// and archives, other shells and folders, bastions, and logins by password.
//
// tests/conformance runs the same tests against both plugins.
package main
