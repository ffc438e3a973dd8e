// Package remote owns the SSH connection to a host. It handles the route through jump hosts, first
// contact, the pinned host key, running a script with its input, and copying a file. It does not
// know the purpose of the scripts.
//
// Guarantees:
//
// - Every connection except the first contact (Scan) checks the pin, and that of each jump host.
// - Its context bounds every call.
// - A peer that stops answering is noticed within a minute, or sooner if the caller sets it (SetDeadAfter).
// - A remote script ends with its caller, however the caller ends.
// - Scripts and their input travel on standard input. So no process has them in its arguments, and only a shell gets them, with their secrets.
// - A result is the script's own, between marks that only its run knows (docs/adr/0072).
package remote
