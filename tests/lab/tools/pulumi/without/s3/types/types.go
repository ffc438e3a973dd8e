// Package types has what a bucket lists.
package types

import "time"

// ServerSideEncryption is a kind of encryption.
type ServerSideEncryption string

// Kinds of encryption.
const (
	ServerSideEncryptionAes256     ServerSideEncryption = "AES256"
	ServerSideEncryptionAwsKms     ServerSideEncryption = "aws:kms"
	ServerSideEncryptionAwsKmsDsse ServerSideEncryption = "aws:kms:dsse"
)

// Values are all of them.
func (ServerSideEncryption) Values() []ServerSideEncryption {
	return []ServerSideEncryption{ServerSideEncryptionAes256, ServerSideEncryptionAwsKms, ServerSideEncryptionAwsKmsDsse}
}

// Object is an object.
type Object struct {
	Key, ETag    *string
	LastModified *time.Time
	Size         *int64
}

// CommonPrefix is a folder.
type CommonPrefix struct{ Prefix *string }
