// Package remote is command:remote:Command and command:remote:CopyToRemote:
// commands and files on a host that SSH reaches.
//
// It owns dialling (retries, host key pin, bastion), sessions and SFTP. It does
// not own capturing output (package output).
//
// A running command ignores the resource timeout and the engine's cancel, as
// upstream: bound it on the remote side.
package remote
