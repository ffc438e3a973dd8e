package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"strata/actions/verb"
	"strata/internal/hypervisor"
	"strata/internal/pulumi/self"
)

// The commands of a virtual machine's resources. Each bounds itself, because a restart waits for
// its turn. Keys come in the environment: STRATA_HYPERVISOR_KEY, STRATA_HOST_KEY and
// STRATA_SSH_KEY, in PEM.
var (
	// Create makes a machine, or changes an existing one to its Spec, and prints its Result.
	Create = ofMachine(func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
		return resultPrinter(call)(createMachine(ctx, spec, secrets(), call.Stderr))
	})
	// Update changes an existing machine to its Spec, and prints its Result. It fails if the
	// machine does not exist any more, or if only a new machine can have the wanted values.
	Update = ofMachine(func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
		before, err := verb.Previous[hypervisor.Result](call)
		if err != nil {
			return err
		}
		return resultPrinter(call)(updateMachine(ctx, spec, before, secrets(), call.Stderr))
	})
	// Delete removes a machine with its disk and seed.
	Delete = ofMachine(func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
		return deleteMachine(ctx, spec, secrets(), call.Stderr)
	})
	// PutImage copies the machines' image to their hypervisor, unless it has it.
	PutImage = newVerb("strata:timeouts.install",
		func(ctx context.Context, _ verb.Call, spec hypervisor.Spec) error {
			return putImage(ctx, spec, secrets())
		})
	// RemoveImage removes the image from the hypervisor.
	RemoveImage = newVerb("strata:timeouts.install",
		func(ctx context.Context, _ verb.Call, spec hypervisor.Spec) error {
			return removeImage(ctx, spec, secrets())
		})
)

// The commands of the resource that marks a stack's machines before the first is deleted.
var (
	// MarkForReplacement marks for replacement the machines that a destroy has marked and not
	// deleted.
	MarkForReplacement = verb.New(func(ctx context.Context, call verb.Call, all hypervisor.Deletion) error {
		names, err := markForReplacement(ctx, all, secrets())
		if len(names) > 0 {
			_, _ = fmt.Fprintf(call.Stderr, "a destroy broke off among the machines; made anew: %s\n",
				strings.Join(names, ", "))
		}
		return err
	})
	// Keep undoes MarkForDeletion.
	Keep = verb.New(func(ctx context.Context, _ verb.Call, all hypervisor.Deletion) error {
		return keep(ctx, all, secrets())
	})
	// MarkForDeletion marks all machines before their stack deletes them.
	MarkForDeletion = verb.New(func(ctx context.Context, _ verb.Call, all hypervisor.Deletion) error {
		return markForDeletion(ctx, all, secrets())
	})
)

// secrets returns the keys of the environment.
func secrets() hypervisor.Secrets {
	return hypervisor.Secrets{
		HypervisorKey: []byte(os.Getenv(self.HypervisorKey)),
		HostKey:       []byte(os.Getenv(self.HostKey)),
		SSHKey:        []byte(os.Getenv(self.SSHKey)),
	}
}

// resultPrinter returns a function that prints a machine's Result.
func resultPrinter(call verb.Call) func(hypervisor.Result, error) error {
	return func(result hypervisor.Result, err error) error {
		if err != nil {
			return err
		}
		return call.PrintJSON(result)
	}
}

// ofMachine returns a verb for one machine.
func ofMachine(
	run func(context.Context, verb.Call, hypervisor.Spec) error,
) *verb.Verb[hypervisor.Spec] {
	return newVerb("strata:timeouts.host", run)
}

// newVerb returns a verb. Its errors name the layer and the machine, and the configuration key of
// the timeout that ended it.
func newVerb(
	key string, run func(context.Context, verb.Call, hypervisor.Spec) error,
) *verb.Verb[hypervisor.Spec] {
	read := func(text []byte) (hypervisor.Spec, error) {
		return hypervisor.ReadSpec(bytes.NewReader(text))
	}
	return verb.NewDecoded(read, func(ctx context.Context, call verb.Call,
		spec hypervisor.Spec) error {
		err := run(ctx, call, spec)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return fmt.Errorf("layer hosts, vm %s: %w; bound: %s is %s", spec.Name(), err, key,
				spec.Timeout.Duration)
		}
		return fmt.Errorf("layer hosts, vm %s: %w", spec.Name(), err)
	})
}
