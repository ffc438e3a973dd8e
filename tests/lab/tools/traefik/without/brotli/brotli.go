// Package brotli is a stub of the Brotli compression. Its tables take a sixth of Traefik's compile
// time. Traefik responds with an error to a client that accepts only Brotli. Browsers and curl
// prefer gzip.
package brotli

import (
	"errors"
	"io"
)

// Writer is a compressor. None is ever created.
type Writer struct{ io.WriteCloser }

// Flush always fails.
func (*Writer) Flush() error { return errNone }

// Reset does nothing.
func (*Writer) Reset(io.Writer) {}

var errNone = errors.New("the lab's Traefik has no Brotli")

// NewWriter always fails. Upstream returns only a writer; an edit makes Traefik return the
// error.
func NewWriter(io.Writer) (*Writer, string, error) { return nil, "", errNone }
