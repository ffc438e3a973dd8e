package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"strata/actions/verb"
	"strata/internal/hypervisor"
	"strata/internal/pulumi/self"
)

// These are the verbs of virtual machines' resources. They set their own timeouts, because a
// restart waits until no other machine restarts. Keys are in the environment, in PEM:
// STRATA_HYPERVISOR_KEY, STRATA_HOST_KEY and STRATA_SSH_KEY.
var (
	// Create creates a machine, or changes an existing one to match its Spec, and prints its
	// Result.
	Create = ofMachine(func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
		return resultPrinter(call)(createMachine(ctx, spec, secrets(), call.Stderr))
	})
	// Update changes an existing machine to match its Spec, and prints its Result. It fails if a
	// change needs a new machine, or if the machine is missing. But it recreates a missing machine
	// whose node is in STRATA_DELETED_MACHINES, as MarkForReplacement prints it.
	Update = ofMachine(func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
		before, err := verb.Previous[hypervisor.Result](call)
		if err != nil {
			return err
		}
		deleted, err := deletedMachines()
		if err != nil {
			return err
		}
		if slices.Contains(deleted, spec.Node) {
			return resultPrinter(call)(createMachine(ctx, spec, secrets(), call.Stderr))
		}
		return resultPrinter(call)(updateMachine(ctx, spec, before, secrets(), call.Stderr))
	})
	// Delete deletes a machine with its disk and seed.
	Delete = ofMachine(func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
		return deleteMachine(ctx, spec, secrets(), call.Stderr)
	})
	// PutImage copies the machines' image to their hypervisor, unless the hypervisor has it.
	PutImage = newVerb("strata:timeouts.install",
		func(ctx context.Context, _ verb.Call, spec hypervisor.Spec) error {
			return putImage(ctx, spec, secrets())
		})
	// RemoveImage deletes the image on the hypervisor.
	RemoveImage = newVerb("strata:timeouts.install",
		func(ctx context.Context, _ verb.Call, spec hypervisor.Spec) error {
			return removeImage(ctx, spec, secrets())
		})
)

// These are the verbs of the resource that marks a stack's machines before the first is deleted.
var (
	// MarkForReplacement marks the machines that an interrupted destroy has left, so that they are
	// recreated. It prints the nodes whose machines the destroy has deleted, as JSON; nothing if it
	// has deleted none.
	MarkForReplacement = verb.New(func(ctx context.Context, call verb.Call, all hypervisor.Deletion) error {
		left, deleted, err := markForReplacement(ctx, all, secrets())
		if again := append(left, deleted...); len(again) > 0 {
			_, _ = fmt.Fprintf(call.Stderr, "a destroy broke off among the machines; made anew: %s\n",
				strings.Join(again, ", "))
		}
		if err != nil || len(deleted) == 0 {
			return err
		}
		return call.PrintJSON(deleted)
	})
	// Keep removes the marks of MarkForDeletion.
	Keep = verb.New(func(ctx context.Context, _ verb.Call, all hypervisor.Deletion) error {
		return keep(ctx, all, secrets())
	})
	// MarkForDeletion marks all machines as to be deleted, before their stack deletes the first.
	MarkForDeletion = verb.New(func(ctx context.Context, _ verb.Call, all hypervisor.Deletion) error {
		return markForDeletion(ctx, all, secrets())
	})
)

// deletedMachines returns the nodes in STRATA_DELETED_MACHINES.
func deletedMachines() (nodes []string, err error) {
	if text := os.Getenv(self.DeletedMachines); text != "" {
		err = json.Unmarshal([]byte(text), &nodes)
	}
	return nodes, err
}

// secrets returns the keys in the environment.
func secrets() hypervisor.Secrets {
	return hypervisor.Secrets{
		HypervisorKey: []byte(os.Getenv(self.HypervisorKey)),
		HostKey:       []byte(os.Getenv(self.HostKey)),
		SSHKey:        []byte(os.Getenv(self.SSHKey)),
	}
}

// resultPrinter returns a function that prints a machine's Result, or returns its error.
func resultPrinter(call verb.Call) func(hypervisor.Result, error) error {
	return func(result hypervisor.Result, err error) error {
		if err != nil {
			return err
		}
		return call.PrintJSON(result)
	}
}

// ofMachine returns a verb for one machine, with the timeout strata:timeouts.host.
func ofMachine(
	run func(context.Context, verb.Call, hypervisor.Spec) error,
) *verb.Verb[hypervisor.Spec] {
	return newVerb("strata:timeouts.host", run)
}

// newVerb returns a verb whose errors name the layer and the machine. After a timeout, the error
// also names the timeout's configuration key.
func newVerb(
	key string, run func(context.Context, verb.Call, hypervisor.Spec) error,
) *verb.Verb[hypervisor.Spec] {
	return verb.NewDecoded(hypervisor.ReadSpec,
		func(ctx context.Context, call verb.Call, spec hypervisor.Spec) error {
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
