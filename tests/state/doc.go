// Package state tests the instructions of docs/team.md for a state on an S3-compatible store. It
// runs the program in two checkouts, each with a home of its own, against a store in this process.
// The lab's Pulumi supports no buckets, so this module builds the published command line; the
// language host and the plugins are the lab's (make lab).
//
// The program runs until its host does not answer: by then a stack's state has secrets and a lock,
// which are the subject here.
package state
