package build

import (
	"bytes"
	"context"
	"fmt"
)

// fetchesAtOnce is the number of downloads that run together. Each requests many files at once; the
// second one fills the gaps in which the first looks for its next files.
const fetchesAtOnce = 2

// fetches are the downloads of a build.
type fetches struct {
	// going has the steps whose download has not ended.
	going map[string]bool
	// failed has the errors of failed downloads.
	failed map[string]error
	ended  chan fetch
}

// fetch is an ended download of a step.
type fetch struct {
	step string
	err  error
}

// end records an ended download. Only the reader of ended calls it, so that one goroutine uses the
// maps.
func (f *fetches) end(one fetch) {
	delete(f.going, one.step)
	if one.err != nil {
		f.failed[one.step] = one.err
	}
}

// startFetches starts the downloads of the steps in missing.
func startFetches(ctx context.Context, steps []Step, missing map[string]bool, progress *Progress) *fetches {
	all := &fetches{going: map[string]bool{}, failed: map[string]error{}}
	var queue []Step
	for _, step := range steps {
		if step.Fetch != nil && missing[step.Name] {
			all.going[step.Name] = true
			queue = append(queue, step)
		}
	}
	// Buffered, so that no download waits for its reader.
	all.ended = make(chan fetch, len(queue))
	waiting := make(chan Step, len(queue))
	for _, step := range queue {
		waiting <- step
	}
	close(waiting)
	for range fetchesAtOnce {
		go func() {
			for step := range waiting {
				all.ended <- fetch{step.Name, download(ctx, step, progress)}
			}
		}()
	}
	return all
}

// download runs a step's Fetch, and records it as a part of its own.
func download(ctx context.Context, step Step, progress *Progress) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errNeed, ctx.Err())
	}
	part := DownloadOf(step.Name)
	progress.started(part)
	var log bytes.Buffer
	err := step.Fetch(ctx, &log)
	progress.ended(part)
	if err != nil {
		return fmt.Errorf("downloading: %w\n%s", err, tail(log.String()))
	}
	return nil
}

// DownloadOf returns the name of the part that stands for a step's download.
func DownloadOf(step string) string { return "download/" + step }
