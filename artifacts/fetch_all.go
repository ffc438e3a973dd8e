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

// downloadsAtOnce hide the time that each takes to begin, and keep a mirror's and a project's
// servers friendly.
const downloadsAtOnce = 4

// all gets pins into the download cache, a few at once, while no other fetch does: fetched are
// those that were right, in the order of pins, failures name the others. err is why nothing could
// be tried.
func (f *fetcher) all(
	ctx context.Context, pins []config.Pin, out io.Writer,
) (fetched []Locked, failures []error, err error) {
	if f.dir, err = CacheDir(); err != nil {
		return nil, nil, err
	}
	told := &lines{to: out}
	unlock, err := lockFolder(ctx, f.dir, func() { _, _ = fmt.Fprintln(told, "waiting for another fetch into", f.dir) })
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
			entries[i], wrong[i] = f.one(ctx, pin, &labelled{to: told, label: label})
		})
	}
	all.Wait()
	for i, pin := range pins {
		if wrong[i] != nil {
			failures = append(failures, fmt.Errorf("fetch %s %s: %w", pin.Name, pin.Version, wrong[i]))
			continue
		}
		fetched = append(fetched, entries[i])
	}
	return fetched, failures, nil
}

// lines lets one write through at a time.
type lines struct {
	mutex sync.Mutex
	to    io.Writer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.to.Write(line)
}

// labelled says in each line what it is about: several downloads print at once. Each write is a
// line.
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

// lockFolder keeps other processes out of a folder. waiting is called once if it has to wait.
func lockFolder(ctx context.Context, dir string, waiting func()) (unlock func(), err error) {
	return lockfile.Lock(ctx, filepath.Join(dir, ".lock"), waiting)
}
