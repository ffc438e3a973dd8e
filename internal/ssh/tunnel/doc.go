// Package tunnel connects to services that only a jump host can reach: the Kubernetes API and the
// load balancer's addresses. A tunnel is a SOCKS proxy on this machine's loopback, like ssh -D: the
// last jump host makes its connections. It runs in a process of its own, because Pulumi deletes
// objects after its program has exited, and Pulumi's provider connects only to a proxy's address
// (docs/adr/0049).
//
// It owns the life of the process (Open, Keep), its service (Serve), and the program's connections
// through it (Dialer). It owns neither the login to a jump host (package remote) nor the choice of
// addresses.
//
// Guarantees:
//
// - If another program or another tunnel in use has the port, Open fails and does not use it.
// - The error of a failed connection says whether the jump host or the address behind it failed.
// - If the connection to the jump host is lost, the next connection logs in again.
// - If the jump host rejects the tunnel's keys, a process with accepted keys replaces the tunnel.
// - The process exits by itself after it was unused for Idle.
package tunnel
