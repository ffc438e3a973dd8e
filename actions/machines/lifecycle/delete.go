package lifecycle

import (
	"context"
	"fmt"
	"io"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/drivers"
	"strata/internal/ssh/silence"
)

// deleteMachine removes the machine with its disk and seed. A machine that does not exist is no
// error. A machine that this stack did not make is an error.
func deleteMachine(
	ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets, log io.Writer,
) error {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	return withDriver(ctx, spec, secrets, func(d driver.Driver) error {
		have, err := d.Find(ctx)
		if err != nil {
			return err
		}
		if have == nil {
			say(log, spec, "is gone already")
			return nil
		}
		// The mark stays until the end. After an interrupted run, it tells the next one that the
		// machine has no workload.
		mark := have.Mark
		mark.State = hypervisor.StateDeleting
		if err := d.Sign(ctx, have, mark); err != nil {
			return err
		}
		return d.Destroy(ctx, have)
	})
}

// putImage copies the image to the hypervisor, unless it has it already.
func putImage(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
	ctx, cancel := silence.With(ctx, spec.Timeout.Duration) // the limit is for silence: a slow line may take longer
	defer cancel()
	return withDriver(ctx, spec, secrets, func(d driver.Driver) error { return d.PutImage(ctx) })
}

// removeImage removes the image from the hypervisor. Machines do not need it: each has a copy.
func removeImage(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	return withDriver(ctx, spec, secrets, func(d driver.Driver) error { return d.RemoveImage(ctx) })
}

// withDriver calls do on the hypervisor. A hypervisor that is gone for good blocks a destroy, so
// the error names the way out.
func withDriver(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets,
	do func(driver.Driver) error) error {
	return onHost(ctx, spec, secrets, func(host hypervisor.Host) error {
		return do(drivers.New(host, spec))
	})
}

// onHost calls do on the Spec's hypervisor.
func onHost(
	ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets,
	do func(hypervisor.Host) error,
) error {
	host, err := hypervisor.Connect(ctx, spec.Hypervisor, secrets.HypervisorKey)
	if err != nil {
		return fmt.Errorf(
			"%w; if it is gone for good, take the resource out of the state: pulumi state delete with the URN above",
			err)
	}
	defer func() { _ = host.Close() }()
	return do(host)
}
