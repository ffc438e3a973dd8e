package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"strata/internal/pulumi/stackstate"
)

// ErrOwned reports that a run on this or another host uses the stack, or may. Run then changes
// nothing that the other run may still use.
var ErrOwned = errors.New("the stack is in use")

// UpsertVariable makes Pulumi's kubernetes provider adopt existing objects instead of refusing
// them.
const UpsertVariable = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"

// Recovery cleans up after the killed runs of one stack.
type Recovery struct {
	// ProjectDir is the absolute path of the project's folder; Stack is the stack's name.
	ProjectDir, Stack string
	// Pulumi runs the Pulumi command line.
	Pulumi stackstate.Pulumi
	// Reach opens a tunnel to the cluster of a state and returns a function that closes it. Nil if
	// the cluster can be reached directly.
	Reach func(ctx context.Context, state *stackstate.State) (func(), error)
	// Log gets a line for each cleanup, and for each leftover that stays, with the reason.
	Log io.Writer

	// claim returns an error if a run holds the stack's lock. It is called before the first change
	// in the cluster. Nil for the file backend, whose locks name their process.
	claim func(ctx context.Context) error
}

// Result tells the user which setting the next run needs.
type Result struct {
	// Upsert is true while the cluster may have objects that the state does not contain. The next
	// `pulumi up` then needs UpsertVariable=true, or it fails because an object already exists.
	Upsert bool
}

// Run cleans up after the stack's killed runs; it changes nothing if there is nothing to clean up.
// It first makes sure that the lock's owner is dead. It then kills the owner's processes before it
// changes files that these might still write.
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
	// The locks are removed later, because they prove that a kill, and not `pulumi stack rm`,
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
	// The note is written before the pending operations are removed, so that a kill between the two
	// loses nothing.
	upsert, err := r.noteUnknown(state)
	if err != nil {
		return Result{}, err
	}
	if err := r.clearPending(ctx, state); err != nil {
		return Result{}, err
	}
	return Result{Upsert: upsert}, nil
}

// refuseLive returns an ErrOwned for each lock whose owner is or may be alive.
func (r *Recovery) refuseLive(locks []lock) error {
	var owned []error
	for _, lock := range locks {
		if reason := lock.keepReason(r.ProjectDir); reason != "" {
			owned = append(owned, fmt.Errorf("%w: %s: %s", ErrOwned, lock, reason))
		}
	}
	return errors.Join(owned...)
}

// importOnce returns a function that imports the unchanged state at its first call. Every backend
// refuses an import while the stack is locked. For backends other than the file backend, this is
// the only way to detect a running update, whose Helm must not be disturbed.
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

// earliestStart returns the earliest time of the locks; zero if there are none.
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
