package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io"

	"strata/actions/machines/machineset"
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/drivers"
	"strata/internal/hypervisor/seed"
)

// createMachine creates and starts the machine, or changes an existing one to match the Spec. It
// does not wait for the boot.
func createMachine(
	ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets, log io.Writer,
) (hypervisor.Result, error) {
	return create(ctx, spec, secrets, false, log)
}

// updateMachine changes an existing machine. It does not replace a missing machine, because a new
// machine would be empty, and Pulumi would not install its workload again. It only replaces a
// machine whose deletion had begun, because its workload was gone by then. before is the machine's
// previous output; empty if the state does not contain the machine.
func updateMachine(
	ctx context.Context, spec hypervisor.Spec, before hypervisor.Result, secrets hypervisor.Secrets,
	log io.Writer,
) (hypervisor.Result, error) {
	if err := machineset.Changes(spec.Node, before.Made, spec.FixedProperties()); err != nil {
		return hypervisor.Result{}, err
	}
	return create(ctx, spec, secrets, true, log)
}

func create(
	ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets, existing bool,
	log io.Writer,
) (hypervisor.Result, error) {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	host, err := hypervisor.Connect(ctx, spec.Hypervisor, secrets.HypervisorKey)
	if err != nil {
		return hypervisor.Result{}, err
	}
	defer func() { _ = host.Close() }() // no more commands follow
	on := drivers.New(host, spec)
	have, err := on.Find(ctx)
	if err != nil {
		return hypervisor.Result{}, err
	}
	if existing && (have == nil || !have.Mark.Whole() &&
		have.Mark.State != hypervisor.StateDeleting) {
		return hypervisor.Result{},
			fmt.Errorf(
				"%s: there is no machine %s any more, and none was made in its place, which "+
					"would be empty; if strata:hosts.hypervisor is "+
					"another hypervisor now, take it back; if a destroy broke off, run it again; "+
					"if the machine is lost: recreate: A-NEW-WORD at its entry of "+
					"strata:hosts.nodes", host, spec.Name())
	}
	if have != nil && !have.Mark.Whole() && spec.Owns(have.Mark) {
		say(log, spec, "removing what a run that broke off left of it (%s)", have.Mark.State)
		if err := on.Destroy(ctx, have); err != nil {
			return hypervisor.Result{}, err
		}
		have = nil
	}
	if have == nil {
		have, err = build(ctx, on, spec, secrets)
	} else {
		if err := claim(ctx, on, spec, have, existing); err != nil {
			return hypervisor.Result{}, err
		}
		err = change(ctx, on, spec, have, log)
		if errors.Is(err, errRestart) {
			err = restart(whole, on, spec, secrets, have, log)
		}
	}
	if err != nil {
		return hypervisor.Result{}, err
	}
	return hypervisor.Result{Name: spec.Name(), ID: have.ID, MAC: spec.MAC(),
		Made: spec.FixedProperties()}, nil
}

// claim writes the cluster's ID to a machine whose mark was cleared. It fails if the mark has no
// cluster's ID and the state does not contain the machine (known is false), because another user's
// stack may have the same name.
func claim(
	ctx context.Context, on driver.Driver, spec hypervisor.Spec, have *driver.Found, known bool,
) error {
	mark := spec.Mark(have.Mark.State)
	if spec.Cluster == "" || have.Mark == mark {
		return nil
	}
	if !known && have.Mark.Cluster == "" {
		return fmt.Errorf(
			"%s is there, and neither its mark nor the state says whose it is: it was cleared by "+
				"hand (strata owner --clear); "+
				"if it is this stack's: strata owner -s %s %s --take, see docs/host-ownership.md",
			spec.Name(), spec.Stack, spec.Node)
	}
	return on.Sign(ctx, have, mark)
}

// build creates a machine. After a failure, it removes the parts that it has created, because
// Pulumi records no failed create. If this process is killed, the machine's mark tells the next run
// that the machine is incomplete.
func build(
	ctx context.Context, on driver.Driver, spec hypervisor.Spec, secrets hypervisor.Secrets,
) (*driver.Found, error) {
	files, err := seed.Files(spec, secrets.HostKey)
	if err != nil {
		return nil, err
	}
	disk, err := seed.ISO(files)
	if err != nil {
		return nil, err
	}
	have, err := on.Make(ctx, disk)
	if err == nil {
		err = on.Finish(ctx, have)
	}
	if err == nil {
		err = on.Start(ctx, have)
	}
	if err == nil {
		return have, nil
	}
	return nil, errors.Join(err, undo(ctx, on, spec, have))
}

// undo removes an incomplete machine, even after its timeout.
func undo(ctx context.Context, on driver.Driver, spec hypervisor.Spec, have *driver.Found) error {
	if have == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	if err := on.Destroy(ctx, have); err != nil {
		return fmt.Errorf("%s is left half made, and the next up removes it: %w", spec.Name(), err)
	}
	return nil
}

// say logs a line about a machine.
func say(log io.Writer, spec hypervisor.Spec, format string, args ...any) {
	// Errors of the progress output must not stop the creation of a machine.
	_, _ = fmt.Fprintf(log, spec.Name()+": "+format+"\n", args...)
}
