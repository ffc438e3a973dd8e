package recovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// end kills processes: it sends SIGTERM and, to those that are still alive after graceful, SIGKILL.
// It returns nil when all processes have exited, otherwise errSurvived.
func end(ctx context.Context, victims []process) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return fmt.Errorf("watching processes: %w", err)
	}
	defer func() { _ = unix.Close(queue) }()
	waiting := map[int]bool{}
	for _, victim := range victims {
		lives, err := watch(queue, victim)
		if err != nil {
			return fmt.Errorf("process %d: %w", victim.pid, err)
		}
		if lives {
			waiting[victim.pid] = true
		}
	}
	for _, signal := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		for pid := range waiting {
			if err := unix.Kill(pid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("ending a process: %w", err)
			}
		}
		if awaitExit(ctx, queue, waiting, time.Now().Add(graceful)) {
			return nil
		}
	}
	return errSurvived
}

// watch registers a process in the kqueue, and reports whether it is still alive. macOS has no
// pidfd, and the PID may have been reused, so watch compares the start times. After the
// registration the PID cannot be reused until the exit event has been read from the queue.
func watch(queue int, victim process) (lives bool, err error) {
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, victim.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	if _, err := unix.Kevent(queue, []unix.Kevent_t{change}, nil, nil); errors.Is(err, unix.ESRCH) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	now, err := readProcess(victim.pid)
	return err == nil && now.started.Equal(victim.started), nil
}

// awaitExit waits until every process has exited, and reports whether that happened before the
// deadline. It removes exited processes from waiting.
func awaitExit(ctx context.Context, queue int, waiting map[int]bool, deadline time.Time) bool {
	events := make([]unix.Kevent_t, 8)
	for len(waiting) > 0 {
		rest := time.Until(deadline)
		if rest <= 0 || ctx.Err() != nil {
			return false
		}
		timeout := unix.NsecToTimespec(rest.Nanoseconds())
		count, err := unix.Kevent(queue, nil, events, &timeout)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		for _, event := range events[:max(count, 0)] {
			delete(waiting, int(event.Ident)) //nolint:gosec // a PID fits
		}
	}
	return true
}
