package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// lockDir is the directory of lock files. It is on a tmpfs, so a reboot removes all locks.
const lockDir = "/run/strata/locks"

// lockPoll is the interval between attempts to lock. A blocking flock has no timeout and cannot be
// cancelled.
const lockPoll = 20 * time.Millisecond

// Lock takes an exclusive lock between all processes of this host. Lock names are machine-NAME,
// bridge-NAME, image-SHA, cgroup, state and sysctl. A caller that needs several locks takes
// machine-NAME first.
//
// Unlock removes the lock file. A waiting process then locks the new file. On systems other than
// Linux, Lock returns CheckSystem's error, because every change of a machine begins with Lock.
func Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := CheckSystem(runtime.GOOS); err != nil {
		return nil, err
	}
	return lockFile(ctx, filepath.Join(lockDir, name))
}

func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := openLock(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			continue // another process removed the directory after its last lock; retry
		}
		if err != nil {
			return nil, fmt.Errorf("locking: %w", err)
		}
		if err := waitFlock(ctx, f); err != nil {
			return nil, errors.Join(
				fmt.Errorf("waiting for another lab machines command, which holds %s: %w", path, err), f.Close())
		}
		if isCurrent(f, path) {
			return func() { unlockFile(f) }, nil
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("locking: %w", err)
		}
	}
}

func openLock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}

// unlockFile removes the file while it is still locked, and the directories if they are empty. If
// that fails, an unlocked file remains, which is harmless.
func unlockFile(f *os.File) {
	_ = os.Remove(f.Name())
	_ = os.Remove(filepath.Dir(f.Name()))
	_ = os.Remove(filepath.Dir(filepath.Dir(f.Name())))
	_ = f.Close()
}

func waitFlock(ctx context.Context, f *os.File) error {
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// isCurrent reports whether the locked file is still the one at path.
func isCurrent(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}
