// Package scaffold makes a stack file for existing hosts. It logs in to each, reads its facts, and
// proposes roles, names, networks and a range for the load balancer. It writes the file with the
// reason of each value as a comment.
//
// It owns the proposals with their reasons, and the first contact with hosts without a stack. It
// does not own the requirements on a host (health/host): a preflight of the proposal checks them.
// Nor does it own the rules of the configuration (package config), which reads the file back before
// it is written.
//
// It changes nothing on a host and replaces no file. It writes no file while a host has a problem:
// it reports all problems of all hosts at once, each with a fix. It logs in to no host whose key no
// known_hosts file has, unless the request accepts new keys. Such a key is pinned, and the file and
// the report call it unverified. It neither reads a secret from a host nor writes one: the file has
// the path of the private key, not the key.
package scaffold
