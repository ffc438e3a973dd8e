// Package transfermanager stands in for the part of Amazon's SDK that writes large objects.
package transfermanager

import (
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Client refuses.
type Client struct{}

// Options are the client's.
type Options struct {
	PartSizeBytes int64
	Concurrency   int
}

// New returns one.
func New(*s3.Client, ...func(*Options)) *Client { return &Client{} }

// UploadObjectInput says what to write.
type UploadObjectInput struct {
	Bucket, Key, IfNoneMatch, CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType, SSEKMSKeyID *string

	ServerSideEncryption types.ServerSideEncryption
	Metadata             map[string]string
	Body                 io.Reader
}

// UploadObject refuses.
func (*Client) UploadObject(context.Context, *UploadObjectInput) (*struct{}, error) {
	return nil, s3.ErrNone
}
