// Package kms stands in for the SDK of Amazon's keys, with which the lab's Pulumi encrypts no secrets.
package kms

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var errNone = errors.New("the lab's Pulumi has no secrets provider awskms")

// Client refuses.
type Client struct{}

// Options are the client's.
type Options struct{}

// NewFromConfig returns one.
func NewFromConfig(aws.Config, ...func(*Options)) *Client { return &Client{} }

// DecryptInput says what to decrypt.
type DecryptInput struct {
	CiphertextBlob    []byte
	EncryptionContext map[string]string
}

// DecryptOutput is what came of it.
type DecryptOutput struct{ Plaintext []byte }

// EncryptInput says what to encrypt.
type EncryptInput struct {
	KeyId             *string
	Plaintext         []byte
	EncryptionContext map[string]string
}

// EncryptOutput is what came of it.
type EncryptOutput struct{ CiphertextBlob []byte }

// Decrypt refuses.
func (*Client) Decrypt(context.Context, *DecryptInput, ...func(*Options)) (*DecryptOutput, error) {
	return nil, errNone
}

// Encrypt refuses.
func (*Client) Encrypt(context.Context, *EncryptInput, ...func(*Options)) (*EncryptOutput, error) {
	return nil, errNone
}
