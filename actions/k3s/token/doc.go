// Package token owns how the servers of a cluster get another token: K3s encrypts the keys of the
// cluster with the token, and takes another one only by a request
// (https://docs.k3s.io/cli/token#k3s-token-rotate). `strata rotate-token` runs it. Then the
// installs write the new token into config.yaml and restart K3s, server by server.
//
// It does not own how tokens are made (package components), nor the agents' token, which encrypts
// nothing.
//
// It guarantees that a rotation that broke off goes on with the next run, and that no server is
// left with data that its next start cannot open.
package token
