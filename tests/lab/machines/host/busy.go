package host

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// BusyPoll is the pause between attempts at an object that the kernel still holds; its release
// sends no event.
const BusyPoll = 10 * time.Millisecond

// RetryBusy repeats do while the kernel answers "busy", until ctx ends.
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
