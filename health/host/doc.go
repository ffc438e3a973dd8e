// Package host observes hosts over SSH: probe scripts that run on them and print what they see,
// block by block, until the gate ends. It has the kind host, the units of K3s, which kinds server
// and nodes ask for as well, and connections that are tried from the hosts.
//
// Scripts read and change nothing. An observation that did not come back is a fault of that host,
// and no verdict rests on an older one.
package host
