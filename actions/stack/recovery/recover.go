package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"strata/internal/pulumi/stackstate"
)

// ErrOwned reports that the stack has an owner that is alive or on another host. Then Run has
// changed nothing.
var ErrOwned = errors.New("the stack is in use")

// UpsertVariable makes Pulumi's kubernetes provider adopt existing objects instead of refusing
// them.
const UpsertVariable = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"

// Recovery clears the leftovers of one stack's dead runs.
type Recovery struct {
	// ProjectDir is the project's folder, absolute; Stack is the stack's name.
	ProjectDir, Stack string
	// Pulumi runs the Pulumi command line.
	Pulumi stackstate.Pulumi
	// Reach opens a tunnel to the state's cluster if only a jump host reaches it, and returns a
	// function that closes it. Nil if the cluster is reached directly.
	Reach func(ctx context.Context, state *stackstate.State) (func(), error)
	// Log gets one line for each thing that was cleared, or left with the reason.
	Log io.Writer

	// claim takes the lock of a backend whose locks name no process, before the first change in the
	// cluster. Nil if the locks name one.
	claim func(ctx context.Context) error
}

// Result holds the findings that the next run needs.
type Result struct {
	// Upsert is true while the cluster may have objects that the state does not know. The next
	// `pulumi up` then needs UpsertVariable=true, or it stops at the first of them.
	Upsert bool
}

// Run recovers the stack, and does nothing if there is nothing to clear. The order matters. It
// changes nothing before it knows that the owner is dead. The owner's processes end before Run
// clears files that they might still write.
func (r *Recovery) Run(ctx context.Context) (Result, error) {
	root, err := r.backend(ctx)
	if err != nil {
		return Result{}, err
	}
	if root == "" {
		r.claim = r.importOnce()
	}
	locks, err := r.locks(root)
	if err != nil {
		return Result{}, err
	}
	if err := r.refuseLive(locks); err != nil {
		return Result{}, err
	}
	if err := r.endOrphans(ctx); err != nil {
		return Result{}, err
	}
	// This comes before the removal of the locks: they prove that a kill, and not a removed stack,
	// explains a missing checkpoint.
	if err := r.restoreCheckpoint(root, len(locks) > 0); err != nil {
		return Result{}, err
	}
	if err := r.removeLocks(locks); err != nil {
		return Result{}, err
	}
	read, err := r.Pulumi.Read(ctx, r.Stack)
	if errors.Is(err, stackstate.ErrNoStack) {
		return Result{}, nil
	}
	if err != nil {
		return Result{}, err
	}
	state := state{read}
	switch err := r.repairReleases(ctx, state, earliestStart(locks)); {
	case errors.Is(err, ErrOwned):
		return Result{}, err
	case err != nil:
		r.left("Helm releases", err.Error())
	}
	// The note comes before the change of the state: after a kill between the two, both have it.
	upsert, err := r.noteUnknown(state)
	if err != nil {
		return Result{}, err
	}
	if err := r.clearPending(ctx, state); err != nil {
		return Result{}, err
	}
	return Result{Upsert: upsert}, nil
}

// refuseLive reports every lock that must stay. With one such lock, Run changes nothing.
func (r *Recovery) refuseLive(locks []lock) error {
	var owned []error
	for _, lock := range locks {
		if reason := lock.keepReason(r.ProjectDir); reason != "" {
			owned = append(owned, fmt.Errorf("%w: %s: %s", ErrOwned, lock, reason))
		}
	}
	return errors.Join(owned...)
}

// importOnce returns a function that writes the unchanged state back, once. Every backend refuses
// this write while it is locked. For a backend that is no folder, this is the only check for a live
// run, whose Helm must not be disturbed.
func (r *Recovery) importOnce() func(ctx context.Context) error {
	asked := false
	return func(ctx context.Context) error {
		if asked {
			return nil
		}
		out, err := r.Pulumi.Export(ctx, r.Stack)
		if err != nil {
			return err
		}
		if _, err := r.Pulumi(ctx, out, "stack", "import", "--stack", r.Stack); err != nil {
			return fmt.Errorf("%w, or its backend does not let it be written: %w", ErrOwned, err)
		}
		asked = true
		return nil
	}
}

// earliestStart returns the start of the earliest dead run; zero if no lock has one.
func earliestStart(locks []lock) time.Time {
	var earliest time.Time
	for _, lock := range locks {
		if earliest.IsZero() || lock.Timestamp.Before(earliest) {
			earliest = lock.Timestamp
		}
	}
	return earliest
}

func (r *Recovery) did(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Log, "repair: "+format+"\n", args...)
}

func (r *Recovery) left(what, why string) {
	_, _ = fmt.Fprintf(r.Log, "repair: left %s: %s\n", what, why)
}
