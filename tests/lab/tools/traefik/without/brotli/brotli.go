// Package brotli stands in for the compression of that name, whose tables are a sixth of Traefik's
// compile time. Traefik answers with an error to a client that takes no other one; browsers and
// curl ask for gzip first.
package brotli

import (
	"errors"
	"io"
)

// Writer is never made.
type Writer struct{ io.WriteCloser }

// Flush does nothing.
func (*Writer) Flush() error { return errNone }

// Reset does nothing.
func (*Writer) Reset(io.Writer) {}

var errNone = errors.New("the lab's Traefik has no Brotli")

// NewWriter refuses. The original returns a writer alone: an edit has Traefik hand the error on.
func NewWriter(io.Writer) (*Writer, string, error) { return nil, "", errNone }
