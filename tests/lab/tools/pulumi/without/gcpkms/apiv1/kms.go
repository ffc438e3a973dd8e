// Package kms stands in for the SDK of Google's keys, with which the lab's Pulumi encrypts no secrets.
package kms

import (
	"context"
	"errors"

	"cloud.google.com/go/kms/apiv1/kmspb"
	"google.golang.org/api/option"
)

var errNone = errors.New("the lab's Pulumi has no secrets provider gcpkms")

// KeyManagementClient is never made.
type KeyManagementClient struct{}

// NewKeyManagementClient refuses, so nothing else of it is ever called.
func NewKeyManagementClient(context.Context, ...option.ClientOption) (*KeyManagementClient, error) {
	return nil, errNone
}

// Close does nothing.
func (*KeyManagementClient) Close() error { return nil }

// Decrypt refuses.
func (*KeyManagementClient) Decrypt(context.Context, *kmspb.DecryptRequest) (*kmspb.DecryptResponse, error) {
	return nil, errNone
}

// Encrypt refuses.
func (*KeyManagementClient) Encrypt(context.Context, *kmspb.EncryptRequest) (*kmspb.EncryptResponse, error) {
	return nil, errNone
}
