// Package remote implements command:remote:Command: commands on a host over SSH. Package output
// captures their output.
//
// It owns connections, with retries and the check of the host key, and sessions. As in the official
// plugin, a running command ignores the resource timeout and the engine's cancellation. So a
// command needs its own timeout on the remote host.
package remote
