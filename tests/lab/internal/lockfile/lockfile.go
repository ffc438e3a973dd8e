// Package lockfile excludes processes from each other: two builds at once, of two checkouts, share
// one cache. The kernel frees a lock when its holder ends, however it ends; the empty file stays.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock waits until no other process holds the lock at path, or ctx ends. waiting, if not nil, is
// called once if it has to wait.
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
	// Closing frees the lock; nothing was written that a failed close could lose.
	return func() { _ = file.Close() }, nil
}

// wait blocks in the kernel. When ctx ends first, the goroutine stays until the other holder ends:
// the caller is about to exit.
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

// flock repeats the call that a signal interrupted.
func flock(file *os.File, how int) error {
	for {
		err := unix.Flock(int(file.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
