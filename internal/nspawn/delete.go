package nspawn

import (
	"context"
	"errors"
	"fmt"
	"os"

	"strata/internal/nspawn/cgroup"
	"strata/internal/nspawn/host"
	"strata/internal/nspawn/network"
)

// Delete removes a machine with all its parts; the network and the image go with their last
// machine. A missing machine is no error, a directory that was not made here is. It does not check
// the owner.
func Delete(ctx context.Context, name string, log *Log) error {
	return remove(ctx, name, func(Spec) error { return nil }, log)
}

// DeleteOwn is Delete for the owner of a Spec; it reads the Spec's name, owner and key. It first
// records the deletion, so that the owner's next run can complete an interrupted one.
func DeleteOwn(ctx context.Context, spec Spec, log *Log) error {
	return remove(ctx, spec.Name, func(have Spec) error {
		if err := spec.mayHave(have); err != nil {
			return err
		}
		return record(ctx, have.Name)
	}, log)
}

// remove deletes a machine if may permits it.
func remove(ctx context.Context, name string, may func(Spec) error, log *Log) error {
	if err := checkHost(); err != nil {
		return err
	}
	unlock, err := host.Lock(ctx, "machine-"+name)
	if err != nil {
		return err
	}
	defer unlock()
	spec, err := loadSpec(name)
	if errors.Is(err, ErrUnknown) {
		if !isOurs(name) {
			return fmt.Errorf("%s was not made by Strata and is left alone", machineDir(name))
		}
		return removeMachineDir(ctx, name)
	}
	if err != nil {
		return err
	}
	if err := may(spec); err != nil {
		return err
	}
	return deleteLocked(ctx, spec, log)
}

// deleteLocked removes the spec last, so that an interrupted deletion can be repeated.
func deleteLocked(ctx context.Context, spec Spec, log *Log) error {
	if err := stopLocked(ctx, spec.Name, false); err != nil {
		return err
	}
	if err := cgroup.Remove(ctx, spec.Name); err != nil {
		return err
	}
	if err := removeLeftovers(spec.Name); err != nil {
		return err
	}
	network.ForgetNeighbour(ctx, spec.Bridge, spec.Address)
	if err := removeMachineDir(ctx, spec.Name); err != nil {
		return err
	}
	if err := ReleaseNetwork(ctx, spec, log); err != nil {
		return err
	}
	if err := removeImage(ctx, spec.ImageSHA256); err != nil {
		return err
	}
	log.Printf("machine %s: deleted", spec.Name)
	return inState(ctx, func() error { return host.RemoveIfEmpty(machinesDir(), imagesDir(), stateDir) })
}

func removeMachineDir(_ context.Context, name string) error {
	d := machineDir(name)
	if err := unmountBelow(string(d)); err != nil {
		return err
	}
	entries, err := os.ReadDir(string(d))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("deleting machine %s: %w", name, err)
	}
	for _, entry := range entries {
		if d.path(entry.Name()) == d.spec() {
			continue
		}
		if err := os.RemoveAll(d.path(entry.Name())); err != nil {
			return fmt.Errorf("deleting machine %s: %w", name, err)
		}
	}
	return os.RemoveAll(string(d))
}
