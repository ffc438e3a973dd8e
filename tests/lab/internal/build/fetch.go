package build

import (
	"bytes"
	"context"
	"fmt"
)

// fetchesAtOnce downloads run together. Each takes many files at once; two fill the gaps in which
// one looks for the next.
const fetchesAtOnce = 2

// fetches are the downloads of a build.
type fetches struct {
	// going are the steps whose download has not ended.
	going map[string]bool
	// failed says why one did not work.
	failed map[string]error
	ended  chan fetch
}

// fetch is an ended download of a step.
type fetch struct {
	step string
	err  error
}

// end notes one. Who reads ended calls it, so that maps have one user.
func (f *fetches) end(one fetch) {
	delete(f.going, one.step)
	if one.err != nil {
		f.failed[one.step] = one.err
	}
}

// startFetches begins the downloads of the missing steps.
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

// download runs a step's Fetch, as a part of its own.
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

// DownloadOf returns the name of the part that is a step's download.
func DownloadOf(step string) string { return "download/" + step }
