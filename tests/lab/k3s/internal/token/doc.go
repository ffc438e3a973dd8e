// Package token parses and formats K3s join tokens: K10<hash of the cluster CA>::<user>:<password>,
// or a bare password.
//
// It owns the format and the check of the CA's hash. It does not own the permissions of a password
// (supervisor). An error never contains the password.
package token
