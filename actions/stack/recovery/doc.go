// Package recovery clears the leftovers of a killed run that block the next one. These are the
// stack's lock, plugin processes whose engine is gone, half-done Helm releases, and interrupted
// operations in the state.
//
// It clears only the leftovers of a dead owner. If an owner is alive, or may be, everything stays
// and the report has the reason. It repeats no operation: the next `pulumi up` does. It makes sure
// that an interrupted command runs again, even if a reverted program would see no difference. It
// uses Pulumi's command line and the files of its file backend, and Helm's release Secrets.
package recovery
