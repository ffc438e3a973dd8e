package machines

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/cgroup"
	"strata/tests/lab/machines/host"
	"strata/tests/lab/machines/network"
)

// poweroffTimeout is the time for an orderly shutdown, after which the machine is killed. It is
// shorter than systemd's limit for one service (90 s), which a broken service would use up.
const poweroffTimeout = 15 * time.Second

// Stop shuts a machine down, and kills it after 15 s. If hard is true, it kills the machine at
// once, like a power cut.
func Stop(ctx context.Context, name string, hard bool) error {
	unlock, err := host.Lock(ctx, "machine-"+name)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := loadSpec(name); err != nil {
		return err
	}
	return stopLocked(ctx, name, hard)
}

func stopLocked(ctx context.Context, name string, hard bool) error {
	link := network.LinkOf(ctx, leader(name))
	pid, err := supervisorPid(name)
	if err != nil {
		return err
	}
	if pid != 0 && !hard {
		if err := powerOff(ctx, name, pid); err != nil {
			return err
		}
	}
	// The supervisor may have died alone, so kill the machine's processes in any case.
	if pid, err = supervisorPid(name); err != nil {
		return err
	}
	if pid != 0 {
		if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("killing the supervisor of %s: %w", name, err)
		}
		if err := waitProcess(ctx, pid); err != nil {
			return fmt.Errorf("killing the supervisor of %s: %w", name, err)
		}
	}
	if err := cgroup.Kill(name, cgroup.LeafMachine); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := cgroup.WaitGone(ctx, name, cgroup.LeafMachine); err != nil {
		return err
	}
	return network.Unplug(ctx, link)
}

// powerOff requests a shutdown, and waits up to poweroffTimeout for it. A machine that does not
// shut down in time is no error.
func powerOff(ctx context.Context, name string, supervisor int) error {
	if frozen, err := cgroup.Frozen(name); err == nil && frozen {
		return nil // a frozen machine does not react
	}
	if err := unix.Kill(supervisor, unix.SIGTERM); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("powering off %s: %w", name, err)
	}
	bounded, cancel := context.WithTimeout(ctx, poweroffTimeout)
	defer cancel()
	if err := waitProcess(bounded, supervisor); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("powering off %s: %w", name, err)
	}
	return ctx.Err()
}
