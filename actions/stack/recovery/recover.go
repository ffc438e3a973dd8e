package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"strata/internal/pulumi/stackstate"
)

// ErrOwned is the error when the stack has an owner that is alive or on another host: nothing was
// touched.
var ErrOwned = errors.New("the stack is in use")

// UpsertVariable makes Pulumi's kubernetes provider take over objects that exist already, where it
// would refuse.
const UpsertVariable = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"

// Recovery clears what dead runs of one stack left.
type Recovery struct {
	// ProjectDir is the project's folder, absolute; Stack is the stack's name.
	ProjectDir, Stack string
	// Pulumi runs the Pulumi command line.
	Pulumi stackstate.Pulumi
	// Reach opens the way to the state's cluster where only a jump host reaches it, and returns
	// what closes it. Nil: it is reached directly.
	Reach func(ctx context.Context, state *stackstate.State) (func(), error)
	// Log gets one line for each thing that was done, or left with the reason.
	Log io.Writer

	// claim takes the lock of a backend whose locks name no process, before the first change in the
	// cluster. Nil where the locks did.
	claim func(ctx context.Context) error
}

// Result holds the findings that the next run needs.
type Result struct {
	// Upsert is true while objects may exist in the cluster that the state does not know. The next
	// `pulumi up` needs UpsertVariable=true, or it stops at the first of them.
	Upsert bool
}

// Run recovers the stack. It does nothing when nothing was left. The order matters: nothing is
// touched before the owner is known to be dead, and its processes end before what they might still
// write is cleared.
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
	// Before the locks go: they are the proof that a missing checkpoint is a kill's work and not a
	// removed stack.
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
	switch err := r.repairReleases(ctx, state, started(locks)); {
	case errors.Is(err, ErrOwned):
		return Result{}, err
	case err != nil:
		r.left("Helm releases", err.Error())
	}
	// The note comes before the state forgets: killed between the two, both remember.
	upsert, err := r.noteUnknown(state)
	if err != nil {
		return Result{}, err
	}
	if err := r.clearPending(ctx, state); err != nil {
		return Result{}, err
	}
	return Result{Upsert: upsert}, nil
}

// refuseLive reports every lock that must stay. One is enough to touch nothing.
func (r *Recovery) refuseLive(locks []lock) error {
	var owned []error
	for _, lock := range locks {
		if reason := lock.held(r.ProjectDir); reason != "" {
			owned = append(owned, fmt.Errorf("%w: %s: %s", ErrOwned, lock, reason))
		}
	}
	return errors.Join(owned...)
}

// importOnce writes the state back as it is, once, which every backend refuses while it is locked.
// It is the only way to ask a backend that is no folder whether a run lives: then that run's Helm
// must not be disturbed.
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

// started returns the begin of the earliest dead run; zero when no lock tells.
func started(locks []lock) time.Time {
	var earliest time.Time
	for _, lock := range locks {
		if earliest.IsZero() || lock.Timestamp.Before(earliest) {
			earliest = lock.Timestamp
		}
	}
	return earliest
}

func (r *Recovery) did(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Log, "recover: "+format+"\n", args...)
}

func (r *Recovery) left(what, why string) {
	_, _ = fmt.Fprintf(r.Log, "recover: left %s: %s\n", what, why)
}
