package storage

import (
	"context"
	"time"

	"google.golang.org/api/iterator"
)

// BucketHandle is a bucket.
type BucketHandle struct{}

// Object returns a handle.
func (*BucketHandle) Object(string) *ObjectHandle { return &ObjectHandle{} }

// Objects returns an iterator.
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return &ObjectIterator{} }

// Query selects objects.
type Query struct{ Prefix, Delimiter string }

// ObjectIterator has no objects.
type ObjectIterator struct{ page iterator.PageInfo }

// PageInfo is the iterator's.
func (i *ObjectIterator) PageInfo() *iterator.PageInfo { return &i.page }

// Next refuses.
func (*ObjectIterator) Next() (*ObjectAttrs, error) { return nil, errNone }

// ObjectAttrs are an object's.
type ObjectAttrs struct {
	Prefix, Name, Etag, CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType string

	Created, Updated time.Time
	Size             int64
	MD5              []byte
	Metadata         map[string]string
}

// Conditions are of a write.
type Conditions struct{ DoesNotExist bool }

// ObjectHandle is an object.
type ObjectHandle struct{}

// If changes nothing.
func (o *ObjectHandle) If(Conditions) *ObjectHandle { return o }

// Attrs refuses.
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error) { return nil, errNone }

// Delete refuses.
func (*ObjectHandle) Delete(context.Context) error { return errNone }

// NewRangeReader refuses.
func (*ObjectHandle) NewRangeReader(context.Context, int64, int64) (*Reader, error) {
	return nil, errNone
}

// NewWriter returns one that refuses.
func (*ObjectHandle) NewWriter(context.Context) *Writer { return &Writer{} }

// CopierFrom returns one that refuses.
func (*ObjectHandle) CopierFrom(*ObjectHandle) *Copier { return &Copier{} }

// ReaderObjectAttrs are those that a Reader knows.
type ReaderObjectAttrs struct {
	ContentType  string
	LastModified time.Time
	Size         int64
}

// Reader reads nothing.
type Reader struct{ Attrs ReaderObjectAttrs }

// Read refuses.
func (*Reader) Read([]byte) (int, error) { return 0, errNone }

// Close does nothing.
func (*Reader) Close() error { return nil }

// Writer writes nothing.
type Writer struct {
	ObjectAttrs

	ChunkSize             int
	ForceEmptyContentType bool
}

// Write refuses.
func (*Writer) Write([]byte) (int, error) { return 0, errNone }

// Close refuses.
func (*Writer) Close() error { return errNone }

// Copier copies nothing.
type Copier struct{}

// Run refuses.
func (*Copier) Run(context.Context) (*ObjectAttrs, error) { return nil, errNone }
