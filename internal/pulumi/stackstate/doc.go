// Package stackstate reads a stack's state from Pulumi: the resources with their secrets, and the
// operations that a killed run left. It owns Pulumi's command line and the format of an exported
// state. It does not own the meaning of resources, and writes nothing: a state that is parsed and
// written again would lose the fields of a newer Pulumi.
package stackstate
