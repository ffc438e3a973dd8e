// Package token rotates the servers' token of a cluster. K3s encrypts the cluster's keys with the
// token, and changes it only on request (https://docs.k3s.io/cli/token#k3s-token-rotate). `strata
// rotate-token` starts the rotation. Then the installs write the new token into config.yaml and
// restart K3s, server by server.
//
// Package components creates the tokens. The agents' token encrypts nothing, so it needs no
// rotation here.
//
// The next run continues an interrupted rotation. No server is left with data that it cannot
// decrypt at its next start.
package token
