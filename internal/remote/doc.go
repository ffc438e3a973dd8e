// Package remote owns the SSH connection to a host: first contact, the pinned host key, running a script with its
// input, and copying a file. It knows nothing about what the scripts do.
//
// Guarantees: every connection but the first contact (Scan) checks the pin; every call is bounded by its context; a peer
// that stops answering is noticed within deadAfter; a remote script ends with its caller, however the caller ends; scripts
// and their input travel on standard input, so neither they nor a secret in them is in any process's arguments.
package remote
