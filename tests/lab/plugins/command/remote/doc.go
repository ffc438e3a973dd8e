// Package remote is command:remote:Command: commands on a host that SSH reaches.
//
// It owns dialling (retries, host key pin) and sessions. It does not own
// capturing output (package output).
//
// A running command ignores the resource timeout and the engine's cancel, as
// upstream: bound it on the remote side.
package remote
