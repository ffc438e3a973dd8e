// Package recovery owns what a killed run leaves behind and the next one stumbles over: the stack's
// lock, plugin processes whose engine is gone, half-done Helm releases, interrupted operations in
// the state.
//
// It clears what a dead owner left, and only that: where an owner is alive, or cannot be told to be
// dead, everything stays and the report says why. It repeats no operation; the next `pulumi up`
// does, and for commands whose update was interrupted it sees to that: a program that was taken
// back since would find no difference. It knows Pulumi through its command line and the files of
// its file backend, and Helm through its release Secrets.
package recovery
