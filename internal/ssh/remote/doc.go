// Package remote owns the SSH connection to a host: the way through jump hosts, first contact, the
// pinned host key, running a script with its input, and copying a file. It knows nothing about what
// the scripts do.
//
// Guarantees: every connection but the first contact (Scan) checks the pin, each jump host's as
// well; every call is bounded by its context; a peer that stops answering is noticed within a
// minute, or sooner where the caller says so (SetDeadAfter); a remote script ends with its caller,
// however the caller ends; scripts and their input travel on standard input, so neither they nor a
// secret in them is in any process's arguments, and no other program than a shell gets them; a
// result is the script's own, between marks that only its run knows (docs/adr/0072).
package remote
