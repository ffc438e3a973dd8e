// Package scaffold makes a stack file for hosts that exist: it logs in to each, reads what is
// there, proposes roles, names, networks and a range for the load balancer, and writes the file
// with the reason of each value as a comment.
//
// It owns what is proposed and why, and the first contact with hosts that no stack has yet. It does
// not own what a host must be (health/host, which a preflight of the proposal asks) nor which
// configuration is right (package config, which reads the file back before it is written).
//
// It changes nothing on a host, replaces no file, and writes none while one host has a problem: all
// problems of all hosts are reported at once, each with a fix. It logs in to no host whose key no
// known_hosts file has, unless the request accepts new keys; such a key is pinned as it was seen,
// and said to be unverified, in the file and in the report. No secret is read from a host or
// written: the file has the path of the private key, not the key.
package scaffold
