package recovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// end kills processes: it sends SIGTERM and, after graceful, SIGKILL. It returns nil when all
// processes have exited, otherwise errSurvived.
func end(ctx context.Context, victims []process) error {
	var waits []int
	defer func() {
		for _, fd := range waits {
			_ = unix.Close(fd)
		}
	}()
	for _, victim := range victims {
		// A pidfd still refers to this process if its PID is reused later.
		fd, err := unix.PidfdOpen(victim.pid, 0)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return fmt.Errorf("process %d: %w", victim.pid, err)
		}
		waits = append(waits, fd)
	}
	for _, signal := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		for _, fd := range waits {
			if err := unix.PidfdSendSignal(fd, signal, nil, 0); err != nil &&
				!errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("ending a process: %w", err)
			}
		}
		if awaitExit(ctx, waits, time.Now().Add(graceful)) {
			return nil
		}
	}
	return errSurvived
}

// awaitExit waits until every process has exited, and reports whether that happened before the
// deadline.
func awaitExit(ctx context.Context, waits []int, deadline time.Time) bool {
	for _, fd := range waits {
		for {
			rest := time.Until(deadline)
			if rest <= 0 || ctx.Err() != nil {
				return false
			}
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(rest.Milliseconds())+1) //nolint:gosec // the kernel's number
			if err == nil && ready > 0 {
				break
			}
			if err != nil && !errors.Is(err, unix.EINTR) {
				return false
			}
		}
	}
	return true
}
