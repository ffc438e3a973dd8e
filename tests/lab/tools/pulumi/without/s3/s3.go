// Package s3 stands in for the SDK of Amazon's buckets, in which the lab's Pulumi keeps no state.
package s3

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// ErrNone is what every call says.
var ErrNone = errors.New("the lab's Pulumi keeps no state in Amazon's buckets: use file://")

// Client refuses.
type Client struct{}

// Options are the client's.
type Options struct {
	UseAccelerate, UsePathStyle bool
	EndpointOptions             EndpointOptions
}

// EndpointOptions are those of where to call.
type EndpointOptions struct{ DisableHTTPS bool }

// NewFromConfig returns one.
func NewFromConfig(aws.Config, ...func(*Options)) *Client { return &Client{} }

// HeadObject refuses.
func (*Client) HeadObject(context.Context, *HeadObjectInput) (*HeadObjectOutput, error) {
	return nil, ErrNone
}

// GetObject refuses.
func (*Client) GetObject(context.Context, *GetObjectInput, ...func(*Options)) (*GetObjectOutput, error) {
	return nil, ErrNone
}

// CopyObject refuses.
func (*Client) CopyObject(context.Context, *CopyObjectInput) (*struct{}, error) { return nil, ErrNone }

// DeleteObject refuses.
func (*Client) DeleteObject(context.Context, *DeleteObjectInput) (*struct{}, error) {
	return nil, ErrNone
}

// ListObjects refuses.
func (*Client) ListObjects(context.Context, *ListObjectsInput) (*ListObjectsOutput, error) {
	return nil, ErrNone
}

// ListObjectsV2 refuses.
func (*Client) ListObjectsV2(context.Context, *ListObjectsV2Input, ...func(*Options)) (*ListObjectsV2Output, error) {
	return nil, ErrNone
}

// PresignClient refuses.
type PresignClient struct{}

// PresignedHTTPRequest is a signed address.
type PresignedHTTPRequest struct{ URL string }

// NewPresignClient returns one.
func NewPresignClient(*Client, ...func()) *PresignClient { return &PresignClient{} }

// WithPresignExpires is an option.
func WithPresignExpires(time.Duration) func() { return nil }

// PresignGetObject refuses.
func (*PresignClient) PresignGetObject(context.Context, *GetObjectInput) (*PresignedHTTPRequest, error) {
	return nil, ErrNone
}

// PresignPutObject refuses.
func (*PresignClient) PresignPutObject(context.Context, *PutObjectInput) (*PresignedHTTPRequest, error) {
	return nil, ErrNone
}
