package recovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// end stops processes, by SIGTERM and then SIGKILL. It returns when all are gone.
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

// watch registers a process in the queue, and reports whether it lives. macOS has no pidfd, so
// another process may have the number by now; the start time tells them apart. From here on the
// number belongs to the victim until its end has been read from the queue.
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

// awaitExit waits until every process has ended, or the deadline, and removes ended ones from
// waiting.
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
			delete(waiting, int(event.Ident)) //nolint:gosec // the number of a process
		}
	}
	return true
}
