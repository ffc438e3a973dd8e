package build

import (
	"bytes"
	"context"
	"fmt"
)

// fetchesAtOnce is the number of downloads that run at the same time. Each one requests many files
// at once. The second one uses the network while the first resolves its next files.
const fetchesAtOnce = 2

// fetches tracks the downloads of a build.
type fetches struct {
	// going has the names of the steps whose download has not ended.
	going map[string]bool
	// failed has the errors of failed downloads, by step.
	failed map[string]error
	ended  chan fetch
}

// fetch is the result of one step's download.
type fetch struct {
	step string
	err  error
}

// end records an ended download. Only the goroutine that receives from the channel ended calls end,
// so the maps need no lock.
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
	// The channel is buffered, so that a download never waits for the reader.
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

// download runs a step's Fetch, and records it in the progress as a separate part.
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

// DownloadOf returns the name of the part for a step's download.
func DownloadOf(step string) string { return "download/" + step }
