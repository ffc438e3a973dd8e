// Package certcrypto is a stub that has only lego's types of keys.
package certcrypto

// KeyType is a type of key.
type KeyType string

// Types of keys, with lego's names.
const (
	EC256   KeyType = "P256"
	EC384   KeyType = "P384"
	RSA2048 KeyType = "2048"
	RSA4096 KeyType = "4096"
	RSA8192 KeyType = "8192"
)
