package artifacts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"strata/config"
	"strata/internal/files/lockfile"
)

// downloadsAtOnce is the number of parallel downloads. Four hide the latency at the start of each
// download, and do not overload a server.
const downloadsAtOnce = 4

// fetchPins fetches pins into the download cache, in parallel, while it holds the cache's lock.
// fetched has the lock entries of the fetched pins, in the order of pins; failures has the errors
// of the other pins. err is set if the cache cannot be locked, so that no pin was tried.
func (f *fetcher) fetchPins(
	ctx context.Context, pins []config.Pin, out io.Writer,
) (fetched []Locked, failures []error, err error) {
	if f.dir, err = CacheDir(); err != nil {
		return nil, nil, err
	}
	told := &lines{to: out}
	unlock, err := lockFolder(ctx, f.dir,
		func() { _, _ = fmt.Fprintln(told, "waiting for another fetch into", f.dir) })
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	entries, wrong := make([]Locked, len(pins)), make([]error, len(pins))
	places := make(chan struct{}, downloadsAtOnce)
	var all sync.WaitGroup
	for i, pin := range pins {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			label := strings.TrimSpace(pin.Name + " " + pin.Version + " " + pin.Arch)
			entries[i], wrong[i] = f.fetchPin(ctx, pin, &labelled{to: told, label: label})
		})
	}
	all.Wait()
	for i, pin := range pins {
		if wrong[i] != nil {
			failures = append(failures, fmt.Errorf("fetch %s %s: %w", pin.Name, pin.Version,
				wrong[i]))
			continue
		}
		fetched = append(fetched, entries[i])
	}
	return fetched, failures, nil
}

// lines is a writer that serializes concurrent writes.
type lines struct {
	mutex sync.Mutex
	to    io.Writer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.to.Write(line)
}

// labelled is a writer that puts a label before each line, because several downloads print in
// parallel. Each write is one line.
type labelled struct {
	to    io.Writer
	label string
}

func (l *labelled) Write(line []byte) (int, error) {
	if _, err := fmt.Fprintf(l.to, "%s: %s\n", l.label, bytes.TrimSpace(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// lockFolder locks a folder against other processes. It calls waiting once if it must wait.
func lockFolder(ctx context.Context, dir string, waiting func()) (unlock func(), err error) {
	return lockfile.Lock(ctx, filepath.Join(dir, ".lock"), waiting)
}
