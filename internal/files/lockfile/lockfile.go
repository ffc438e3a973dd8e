// Package lockfile excludes other processes by a file lock. The kernel releases the lock when its
// process exits in any way. The lock's empty file is never removed.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock takes the lock at path. It waits until no other process holds the lock, or ctx ends. It
// calls waiting once, if not nil, when it has to wait.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	err = flock(file, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		if waiting != nil {
			waiting()
		}
		err = wait(ctx, file)
	} else if err != nil {
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil // closing the file releases the lock
}

// wait blocks in the kernel, and closes the file if it fails. If ctx ends first, the goroutine
// still waits for the lock, and then closes the file. If the file were closed during flock, a
// repeated flock could lock an unrelated file with the same descriptor number.
func wait(ctx context.Context, file *os.File) error {
	held := make(chan error)
	go func() {
		err := flock(file, unix.LOCK_EX)
		select {
		case held <- err:
		case <-ctx.Done():
			_ = file.Close()
		}
	}()
	select {
	case err := <-held:
		if err != nil {
			err = errors.Join(err, file.Close())
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flock calls flock(2), and repeats a call that a signal has interrupted.
func flock(file *os.File, how int) error {
	for {
		if err := unix.Flock(int(file.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
