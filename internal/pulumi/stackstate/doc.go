// Package stackstate reads what Pulumi keeps of a stack, its state: the resources with their
// secrets, and the operations that a run which was killed left behind. It owns the command line of
// Pulumi and the form of an exported state. It does not own what the resources mean, and writes
// nothing: a state that is read into types and written again would lose what a newer Pulumi put
// there.
package stackstate
