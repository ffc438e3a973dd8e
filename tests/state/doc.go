// Package state tests the instructions of docs/team.md for a state in an S3-compatible store. It
// runs the program in two checkouts, each with its own home directory, and a store in this process.
// The lab's Pulumi does not support buckets, so this module builds the published command line. The
// language host and the plugins are the lab's (make lab).
//
// The program runs until its host does not answer. By then the state of the stack has secrets and a
// lock, which are the subject of the test.
package state
