// Package lockfile provides locks between processes, because builds in two checkouts share one
// cache. The kernel releases a lock when its process ends, for whatever reason. The empty lock file
// remains.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock waits until no other process holds the lock at path, or ctx ends. If it has to wait, it
// calls waiting once, unless waiting is nil.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	err = flock(file, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		if waiting != nil {
			waiting()
		}
		err = wait(ctx, file)
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, errors.Join(err, file.Close()))
	}
	// Closing the file releases the lock. Nothing was written, so an error of Close does not
	// matter.
	return func() { _ = file.Close() }, nil
}

// wait waits for the lock or the end of ctx. If ctx ends first, the goroutine stays blocked until
// the lock is released. That is acceptable, because the caller is about to exit.
func wait(ctx context.Context, file *os.File) error {
	got := make(chan error, 1)
	go func() { got <- flock(file, unix.LOCK_EX) }()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flock calls flock(2), and repeats a call that a signal interrupted.
func flock(file *os.File, how int) error {
	for {
		err := unix.Flock(int(file.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
