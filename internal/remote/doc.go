// Package remote owns the SSH connection to a host: first contact, the pinned host key, running a script with its
// input, and copying a file. Every connection but the first contact checks the pin; every call is bounded by its context.
// It knows nothing about what the scripts do.
package remote
