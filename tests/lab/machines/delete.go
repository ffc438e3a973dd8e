package machines

import (
	"context"
	"errors"
	"fmt"
	"os"

	"strata/tests/lab/machines/cgroup"
	"strata/tests/lab/machines/host"
	"strata/tests/lab/machines/network"
)

// Delete deletes a machine with all its parts. Its network and image are deleted with their last
// machine. A missing machine is no error. A directory that this package did not create is an error.
// Delete does not check the owner.
func Delete(ctx context.Context, name string, log *Log) error {
	return remove(ctx, name, func(Spec) bool { return true }, log)
}

// DeleteOwn deletes a machine like Delete, but only if its owner's key is authorizedKey. It does
// not change another owner's machine.
func DeleteOwn(ctx context.Context, name, authorizedKey string, log *Log) error {
	return remove(ctx, name, Spec{AuthorizedKey: authorizedKey}.hasOwnerOf, log)
}

// remove deletes a machine if accept returns true for its spec.
func remove(ctx context.Context, name string, accept func(Spec) bool, log *Log) error {
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
	if !accept(spec) {
		log.Printf("machine %s has another owner, and is left alone", name)
		return nil
	}
	return deleteLocked(ctx, spec, log)
}

// deleteLocked deletes a machine. It first removes the file that marks the machine as complete, so
// that no operation uses the remaining parts. It removes the spec last, so that an interrupted
// deletion can be repeated.
func deleteLocked(ctx context.Context, spec Spec, log *Log) error {
	if err := os.Remove(machineDir(spec.Name).ready()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("deleting machine %s: %w", spec.Name, err)
	}
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
