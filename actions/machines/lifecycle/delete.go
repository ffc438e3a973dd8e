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

// deleteMachine deletes the machine with its disk and seed. A missing machine is no error. It fails
// if this stack did not create the machine.
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
		// The mark is deleted with the machine. If this run is interrupted, the mark tells the next
		// run that the machine's workload is gone.
		mark := have.Mark
		mark.State = hypervisor.StateDeleting
		if err := d.Sign(ctx, have, mark); err != nil {
			return err
		}
		return d.Destroy(ctx, have)
	})
}

// putImage copies the image to the hypervisor, unless the hypervisor has it.
func putImage(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
	ctx, cancel := silence.With(ctx, spec.Timeout.Duration) // the timeout only counts time without data, for slow lines
	defer cancel()
	return withDriver(ctx, spec, secrets, func(d driver.Driver) error { return d.PutImage(ctx) })
}

// removeImage deletes the image on the hypervisor. Machines have copies of their own.
func removeImage(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	return withDriver(ctx, spec, secrets, func(d driver.Driver) error { return d.RemoveImage(ctx) })
}

// withDriver calls do with the driver of the Spec's hypervisor.
func withDriver(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets,
	do func(driver.Driver) error) error {
	return onHost(ctx, spec, secrets, func(host hypervisor.Host) error {
		return do(drivers.New(host, spec))
	})
}

// onHost calls do with a connection to the Spec's hypervisor. If the connection fails, the error
// says how to take the resource out of the state, because a hypervisor that is gone for good blocks
// a destroy.
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
