package support

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxFile bounds a file of the archive, maxAll all of them, in bytes. Of a longer text the end stays: it is what happened last.
	maxFile = 4 << 20
	maxAll  = 64 << 20
	// late is how long a source may take to give what it has once its time is over, if that was longer.
	late = 6 * time.Second
)

// File is a file of an archive.
type File struct {
	Name    string
	Content []byte
}

// Missing is what could not be had, and why.
type Missing struct{ Name, Why string }

// source is what is read at once. It may fail and have files all the same.
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

// answer is what a source gave.
type answer struct {
	files []File
	err   error
}

// gather reads all sources at the same time, each bounded, and returns what each gave in their order.
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
