// Package remote owns the SSH connection to a host: the route through jump hosts, the first
// contact, the pinned host key, running a script with its input, and copying a file. It does not
// know what the scripts are for.
//
// Guarantees:
//
// - Every connection except the first contact (Scan) checks the host's pin and those of the jump
// hosts.
// - Every call is bounded by its context.
// - A peer that stops answering is detected within a minute, or sooner if the caller sets it
// (SetDeadAfter).
// - A remote script is killed when its caller stops, even if the caller crashes.
// - Scripts and their input are sent by standard input. So no process has them in its arguments,
// and only a shell gets the secrets in them.
// - A result is always that of the script itself, because it is delimited by marks that only this
// run knows (docs/adr/0072).
package remote
