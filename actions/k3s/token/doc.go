// Package token rotates the token of a cluster's servers. K3s encrypts the keys of the cluster with
// the token, and takes another one only by a request
// (https://docs.k3s.io/cli/token#k3s-token-rotate). `strata rotate-token` starts the rotation. Then
// the installs write the new token into config.yaml and restart K3s, server by server.
//
// It owns neither the creation of tokens (package components), nor the agents' token, which
// encrypts nothing.
//
// It guarantees that the next run continues an interrupted rotation, and that no server is left
// with data that its next start cannot open.
package token
