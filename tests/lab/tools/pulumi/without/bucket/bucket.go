// Package bucket stands in for the clouds' buckets, in which the lab's Pulumi keeps no state. With
// their SDKs goes all that these bring to speak to Amazon, Azure and Google.
package bucket

import (
	"context"
	"errors"
	"net/url"

	"gocloud.dev/blob"
)

var errNone = errors.New("the lab's Pulumi keeps no state in clouds' buckets: use file://")

// Scheme is Google's, which Azure's stands for as well: Pulumi makes a mux of its own for both.
const Scheme = "gs"

func init() {
	for _, scheme := range []string{"azblob", "s3", Scheme} {
		blob.DefaultURLMux().RegisterBucket(scheme, none{})
	}
}

type none struct{}

// OpenBucketURL refuses.
func (none) OpenBucketURL(context.Context, *url.URL) (*blob.Bucket, error) { return nil, errNone }

// GoogleCredentialsMux refuses.
func GoogleCredentialsMux(context.Context) (*blob.URLMux, error) { return nil, errNone }

// URLOpener opens none of Azure's buckets.
type URLOpener struct {
	none

	MakeClient        func()
	ServiceURLOptions struct{}
}

// NewDefaultClient makes none.
func NewDefaultClient() {}

// NewDefaultServiceURLOptions returns none.
func NewDefaultServiceURLOptions() *struct{} { return &struct{}{} }

// CopyObjectInput is a copy in Amazon's buckets. Pulumi asks each bucket whether it makes one; none
// does.
type CopyObjectInput struct{ CopySource *string }
