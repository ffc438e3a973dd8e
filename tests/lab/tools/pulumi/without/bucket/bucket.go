// Package bucket is a stub of the packages that keep state in the buckets of Amazon, Azure and
// Google. The lab's Pulumi keeps its state in files, and so needs none of the clouds' SDKs.
package bucket

import (
	"context"
	"errors"
	"net/url"

	"gocloud.dev/blob"
)

var errNone = errors.New("the lab's Pulumi keeps no state in clouds' buckets: use file://")

// Scheme is the URL scheme of Google's buckets. It also replaces the constant of Azure's package,
// which changes nothing, because every scheme fails.
const Scheme = "gs"

func init() {
	for _, scheme := range []string{"azblob", "s3", Scheme} {
		blob.DefaultURLMux().RegisterBucket(scheme, none{})
	}
}

type none struct{}

// OpenBucketURL always fails.
func (none) OpenBucketURL(context.Context, *url.URL) (*blob.Bucket, error) { return nil, errNone }

// GoogleCredentialsMux always fails.
func GoogleCredentialsMux(context.Context) (*blob.URLMux, error) { return nil, errNone }

// URLOpener always fails to open Azure's buckets.
type URLOpener struct {
	none

	MakeClient        func()
	ServiceURLOptions struct{}
}

// NewDefaultClient does nothing.
func NewDefaultClient() {}

// NewDefaultServiceURLOptions returns empty options.
func NewDefaultServiceURLOptions() *struct{} { return &struct{}{} }

// CopyObjectInput is a request that copies an object in Amazon's buckets. Pulumi checks whether a
// bucket uses this type; none does.
type CopyObjectInput struct{ CopySource *string }
