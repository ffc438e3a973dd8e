package host

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// BusyPoll is the interval between attempts to remove an object that the kernel still uses. The
// kernel sends no event when it releases the object.
const BusyPoll = 10 * time.Millisecond

// RetryBusy repeats do while it fails with EBUSY, until ctx ends. fs.ErrNotExist counts as success.
func RetryBusy(ctx context.Context, do func() error) error {
	ticker := time.NewTicker(BusyPoll)
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
