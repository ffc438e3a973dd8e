package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is the pause between two attempts: flock has no timeout, and a blocked one cannot be cancelled.
const lockPoll = 20 * time.Millisecond

// lock takes an exclusive lock shared by all processes of this host. Names in use: machine-NAME, bridge-NAME,
// image-SHA, cgroup. Order, where more than one is held: machine before bridge or image. The file is removed on unlock,
// so a lock won on a removed file is taken again on the new one.
func lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := os.MkdirAll(lockDir, 0o700); err != nil {
		return nil, fmt.Errorf("locking %s: %w", name, err)
	}
	path := filepath.Join(lockDir, name)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
		err = waitFlock(ctx, f)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("locking %s (another strata machine command holds %s): %w", name, path, err), f.Close())
		}
		if isCurrent(f, path) {
			return func() { _ = os.Remove(path); _ = f.Close() }, nil
		}
		_ = f.Close()
	}
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

// isCurrent says whether path still names the locked file.
func isCurrent(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}
