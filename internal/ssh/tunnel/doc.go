// Package tunnel owns the way to what answers a jump host only: the Kubernetes API, the load
// balancer's addresses. It is a SOCKS proxy on this machine's loopback whose connections come out
// of the last jump host, as ssh -D has it, in a process of its own, since Pulumi deletes objects
// after its program has ended and the provider that does it knows a proxy by its address only
// (docs/adr/0049).
//
// It owns the process's life (Open, Keep), what it serves (Serve) and how the rest of the program
// connects through it (Dialer). It does not own how a jump host is logged in to (package remote),
// nor who is reached.
//
// It guarantees that a port which another way or another program has is refused and not used, that
// a failed connection is told as the jump host's or as the far end's, that a lost jump host is
// logged in to again at the next connection, or by the next process that it lets in, and that the
// process ends by itself once nothing has used it for Idle.
package tunnel
