package support

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxFile bounds each file of the archive, and maxAll the whole archive, in bytes. Of a longer
	// file, the archive has the end, which is the most recent part.
	maxFile = 4 << 20
	maxAll  = 64 << 20
	// late is the additional time for a source to return after its context has ended.
	late = 6 * time.Second
)

// File is a file of an archive.
type File struct {
	Name    string
	Content []byte
}

// Missing names a file that could not be collected, and the reason.
type Missing struct{ Name, Why string }

// source collects files, in parallel with other sources. If it fails, the archive still gets the
// files that it returns.
type source struct {
	name string
	read func(ctx context.Context) ([]File, error)
}

// singleFile returns a source that collects one file.
func singleFile(name string, read func(ctx context.Context) ([]byte, error)) source {
	return source{name, func(ctx context.Context) ([]File, error) {
		content, err := read(ctx)
		if len(content) == 0 {
			return nil, err
		}
		return []File{{name, content}}, err
	}}
}

// answer holds the files and the error of a source.
type answer struct {
	files []File
	err   error
}

// gather reads all sources in parallel, each bounded by limit, and returns their answers in order.
func gather(ctx context.Context, sources []source, limit time.Duration) []answer {
	answers := make([]answer, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		all.Go(func() { answers[i] = s.readWithin(ctx, limit) })
	}
	all.Wait()
	return answers
}

// readWithin reads a source within limit. If the source does not return after its context has
// ended, readWithin returns without it.
func (s source) readWithin(ctx context.Context, limit time.Duration) answer {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	given := make(chan answer, 1)
	go func() {
		files, err := s.read(ctx)
		given <- answer{files, err}
	}()
	select {
	case a := <-given:
		return a
	case <-ctx.Done():
	}
	select {
	case a := <-given:
		return a
	case <-time.After(min(late, limit)):
		return answer{err: fmt.Errorf("it gave nothing within %s: %w", limit, ctx.Err())}
	}
}

// cut returns at most the last most bytes of a content.
func cut(content []byte, most int) []byte {
	if len(content) <= most {
		return content
	}
	return append(fmt.Appendf(nil, "… (%d bytes before this are left out)\n", len(content)-most),
		content[len(content)-most:]...)
}
