package remote

import (
	"io"
	"time"
)

// DefaultSilence is the default bound on how long a transfer may make no progress. After the last
// byte, the host reads the whole file once for its sum, and flushes it to disk, before it answers.
const DefaultSilence = 2 * time.Minute

// movedReader calls moved after each read, with the number of bytes read.
type movedReader struct {
	io.Reader
	moved func(n int)
}

func (r movedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.moved(n)
	}
	return n, err
}

// movedWriter calls moved after each write, with the number of bytes written.
type movedWriter struct {
	io.Writer
	moved func(n int)
}

func (w movedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if n > 0 {
		w.moved(n)
	}
	return n, err
}
