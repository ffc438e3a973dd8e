// Package tunnel reaches services that only a jump host reaches: the Kubernetes API and the load
// balancer's addresses. A tunnel is a SOCKS proxy on this machine's loopback, like ssh -D: its
// connections leave from the last jump host. It runs in a process of its own. Pulumi deletes
// objects after its program has ended, and its provider knows a proxy only by its address
// (docs/adr/0049).
//
// It owns the process's life (Open, Keep), its service (Serve), and the program's connections
// through it (Dialer). It owns neither the login to a jump host (package remote) nor the choice of
// addresses.
//
// Guarantees:
//
// - A port of another tunnel or program is refused and not used.
// - The error of a failed connection says whether the jump host or the far end failed.
// - A lost jump host is logged in to again at the next connection, or by the next process whose key it accepts.
// - The process ends by itself once it was unused for Idle.
package tunnel
