package s3

import (
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// CopyObjectInput says what to copy.
type CopyObjectInput struct {
	Bucket, CopySource, Key, SSEKMSKeyId *string

	ServerSideEncryption types.ServerSideEncryption
}

// DeleteObjectInput says what to delete.
type DeleteObjectInput struct{ Bucket, Key *string }

// GetObjectInput says what to read.
type GetObjectInput struct{ Bucket, Key, Range *string }

// GetObjectOutput is what came of it.
type GetObjectOutput struct {
	Body                      io.ReadCloser
	ContentType, ContentRange *string
	LastModified              *time.Time
	ContentLength             *int64
}

// PutObjectInput says what to write.
type PutObjectInput struct{ Bucket, Key *string }

// HeadObjectInput says what to describe.
type HeadObjectInput struct{ Bucket, Key *string }

// HeadObjectOutput is what came of it.
type HeadObjectOutput struct {
	CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType, ETag *string

	LastModified  *time.Time
	ContentLength *int64
	Metadata      map[string]string
}

// ListObjectsV2Input selects objects.
type ListObjectsV2Input struct {
	Bucket, ContinuationToken, Prefix, Delimiter *string

	MaxKeys                    *int32
	EncodingType, RequestPayer string
}

// ListObjectsV2Output is a page of them.
type ListObjectsV2Output struct {
	NextContinuationToken *string
	Contents              []types.Object
	CommonPrefixes        []types.CommonPrefix
}

// ListObjectsInput selects objects.
type ListObjectsInput struct {
	Bucket, Marker, Prefix, Delimiter *string

	MaxKeys                    *int32
	EncodingType, RequestPayer string
}

// ListObjectsOutput is a page of them.
type ListObjectsOutput struct {
	NextMarker     *string
	IsTruncated    *bool
	Contents       []types.Object
	CommonPrefixes []types.CommonPrefix
}
