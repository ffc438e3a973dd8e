package nspawn

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// busyPoll is the pause between two attempts at something the kernel still holds; there is no event for its release.
const busyPoll = 10 * time.Millisecond

// retryBusy repeats do while the kernel answers "busy", until ctx ends.
func retryBusy(ctx context.Context, do func() error) error {
	ticker := time.NewTicker(busyPoll)
	defer ticker.Stop()
	for {
		err := do()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticker.C:
		}
	}
}
