// Package token reads and writes K3s join tokens: K10<hash of the cluster CA>::<user>:<password>,
// or a bare password.
//
// It owns: the format and the check of the CA hash. It does not own: who may use which password
// (supervisor). It guarantees: an error never contains the password.
package token
