// Package types names what an upload can ask for.
package types

// ServerSideEncryption is a kind of encryption.
type ServerSideEncryption string
