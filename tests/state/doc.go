// Package state runs what docs/team.md says about a state on an S3-compatible store: the program in
// two checkouts, each with a home of its own, against a store in this process. The lab's Pulumi has
// no buckets, so this module builds the command line as it is published; what it is beside, the
// language host and the plugins, is the lab's (make lab).
//
// The program runs until its host does not answer: what a stack's state has by then are secrets and
// a lock, which is what this is about.
package state
