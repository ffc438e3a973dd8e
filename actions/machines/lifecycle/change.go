package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// undoTimeout bounds the removal of an incomplete machine.
const undoTimeout = time.Minute

// change changes an existing machine to match the Spec: it grows the disk, and starts the machine
// if it is stopped. It returns errRestart if the machine must restart to get other processors or
// memory.
func change(
	ctx context.Context, on driver.Driver, spec hypervisor.Spec, have *driver.Found, log io.Writer,
) error {
	if have.DiskGiB > spec.DiskGiB {
		return fmt.Errorf(
			"%s: disk of %d GiB cannot shrink to %d GiB: file systems cannot; set "+
				"strata:hosts.vm.diskGiB (or the node's) to %d, or consent "+
				"to a new machine: recreate: A-NEW-WORD at its entry of strata:hosts.nodes",
			spec.Name(),
			have.DiskGiB, spec.DiskGiB, have.DiskGiB)
	}
	if have.DiskGiB < spec.DiskGiB {
		say(log, spec, "disk grows from %d to %d GiB; the file system follows at the next boot",
			have.DiskGiB, spec.DiskGiB)
		if err := on.Grow(ctx, have); err != nil {
			return err
		}
	}
	if have.CPUs == spec.CPUs && have.MemoryMiB == spec.MemoryMiB {
		if have.Running {
			return nil
		}
		say(log, spec, "was off")
		return on.Start(ctx, have)
	}
	say(log, spec, "from %d processors and %d MiB to %d and %d MiB", have.CPUs, have.MemoryMiB,
		spec.CPUs, spec.MemoryMiB)
	if err := on.Resize(ctx, have); err != nil {
		return err
	}
	if !have.Running {
		return on.Start(ctx, have)
	}
	return errRestart
}

// errRestart reports that the machine must restart to match its Spec.
var errRestart = errors.New("restart")

// restart powers the machine off and on, and waits until its node works again. A stack's machines
// restart one after the other, because etcd has a quorum without one server but not without two. A
// machine's timeout starts when its turn comes.
func restart(
	ctx context.Context, on driver.Driver, spec hypervisor.Spec, secrets hypervisor.Secrets,
	have *driver.Found, log io.Writer,
) error {
	waiting, stop := context.WithTimeout(ctx, max(spec.TurnTimeout.Duration, spec.Timeout.Duration))
	defer stop()
	unlock, err := turn(waiting, spec)
	if err != nil {
		return err
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	say(log, spec, "restarts")
	if err := on.Shutdown(ctx, have); err != nil {
		return err
	}
	if err := on.Start(ctx, have); err != nil {
		return err
	}
	return waitBack(ctx, spec, secrets)
}
