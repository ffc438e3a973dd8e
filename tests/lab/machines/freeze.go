package machines

import (
	"context"
	"errors"
	"fmt"

	"strata/tests/lab/machines/cgroup"
	"strata/tests/lab/machines/host"
)

// Pause freezes a machine, like a host that hangs: its address stays, but nothing responds.
func Pause(ctx context.Context, name string) error { return freeze(ctx, name, true) }

// Resume thaws a paused machine.
func Resume(ctx context.Context, name string) error { return freeze(ctx, name, false) }

func freeze(ctx context.Context, name string, frozen bool) error {
	unlock, err := host.Lock(ctx, "machine-"+name)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := loadSpec(name); err != nil {
		return err
	}
	if pid, err := supervisorPid(name); err != nil || pid == 0 {
		return errors.Join(err, fmt.Errorf("machine %s is not running (lab machines start %s)", name, name))
	}
	return cgroup.SetFrozen(name, frozen)
}
