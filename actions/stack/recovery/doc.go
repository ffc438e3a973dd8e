// Package recovery cleans up after a killed run, so that the next run can start. It removes the
// stack's lock, kills plugin processes whose Pulumi engine is dead, repairs unfinished Helm
// releases, and clears pending operations from the state.
//
// It changes nothing that belongs to a run that is alive or may be; it reports the reason instead.
// It repeats no operation; the next `pulumi up` does. It makes sure that an interrupted command
// runs again, even if the program was reverted and Pulumi would see no difference. It uses Pulumi's
// command line, the files of its file backend, and Helm's release Secrets.
package recovery
