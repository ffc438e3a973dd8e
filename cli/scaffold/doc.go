// Package scaffold makes a stack file for existing hosts. It logs in to each host, reads its facts,
// and proposes roles, names, networks and a range for the load balancer. In the file, a comment
// gives the reason of each value.
//
// It owns the proposals with their reasons, and the first contact with hosts that belong to no
// stack. It does not own the requirements on a host (health/host): a preflight of the proposal
// checks them. It does not own the rules of the configuration either: package config validates the
// file before it is written.
//
// It changes nothing on a host and replaces no file. If a host has a problem, it writes no file and
// reports all problems of all hosts at once, each with a fix. It does not log in to a host whose
// key is in no known_hosts file, unless the request accepts new keys. It pins an accepted key, and
// marks it as unverified in the file and in the report. It writes no secret: the file has the path
// of the private key, and commands to set passwords.
package scaffold
