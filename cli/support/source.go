package support

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxFile bounds a file of the archive, maxAll all of them, in bytes. Of a longer text the end
	// stays: it is what happened last.
	maxFile = 4 << 20
	maxAll  = 64 << 20
	// late bounds a source's answer after the end of its time, if that was longer.
	late = 6 * time.Second
)

// File is a file of an archive.
type File struct {
	Name    string
	Content []byte
}

// Missing names a file that could not be collected, and says why.
type Missing struct{ Name, Why string }

// source collects files at once with others. It may fail and have files all the same.
type source struct {
	name string
	read func(ctx context.Context) ([]File, error)
}

// one is a source of a single file, which has its name.
func one(name string, read func(ctx context.Context) ([]byte, error)) source {
	return source{name, func(ctx context.Context) ([]File, error) {
		content, err := read(ctx)
		if len(content) == 0 {
			return nil, err
		}
		return []File{{name, content}}, err
	}}
}

// answer holds the files of a source.
type answer struct {
	files []File
	err   error
}

// gather reads all sources at the same time, each bounded, and returns what each gave in their
// order.
func gather(ctx context.Context, sources []source, limit time.Duration) []answer {
	answers := make([]answer, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		all.Go(func() { answers[i] = s.bounded(ctx, limit) })
	}
	all.Wait()
	return answers
}

// bounded reads a source. One that does not heed its end is left behind.
func (s source) bounded(ctx context.Context, limit time.Duration) answer {
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

// cut is the end of a content that is too long.
func cut(content []byte, most int) []byte {
	if len(content) <= most {
		return content
	}
	return append(fmt.Appendf(nil, "… (%d bytes before this are left out)\n", len(content)-most), content[len(content)-most:]...)
}
