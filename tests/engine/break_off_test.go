package engine_test

import (
	"context"
	"errors"
	"slices"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
)

// manner is a way in which a run is interrupted.
type manner int

const (
	// killedBefore and killedBehind are a SIGKILL of Pulumi and its providers, before and after the
	// effect of an action.
	killedBefore manner = iota
	killedBehind
	// refused is an action that fails.
	refused
	// interrupted is a SIGINT: Pulumi starts no further action.
	interrupted
	// manners is the number of values above.
	manners = iota
)

func (m manner) String() string {
	return [...]string{"killed before", "killed behind", "refused at", "interrupted at"}[m]
}

// breakOff describes the interruption of a run.
type breakOff struct {
	manner manner
	// after is the number of actions before the interrupted one.
	after int
	// met is true once the run has reached that action.
	met bool
	// interrupt sends the SIGINT.
	interrupt context.CancelFunc
}

var (
	errKilled  = errors.New("killed")
	errRefused = errors.New("made to fail once")
)

// before is called before the effect of an action. If it returns an error, the action fails without
// effect.
func (b *breakOff) before() error {
	if b == nil {
		return nil
	}
	b.after--
	switch {
	case b.met && b.killed():
		return errKilled
	case b.met || b.after >= 0:
		return nil
	}
	b.met = true
	switch b.manner {
	case killedBefore:
		return errKilled
	case refused:
		return errRefused
	case interrupted:
		b.interrupt()
	case killedBehind: // the effect comes first
	}
	return nil
}

// behind is called after the effect of an action. If it returns an error, the action has its
// effect, but the engine gets no result.
func (b *breakOff) behind() error {
	if b != nil && b.met && b.killed() {
		return errKilled
	}
	return nil
}

func (b *breakOff) killed() bool { return b.manner == killedBefore || b.manner == killedBehind }

// left returns the state that a killed run leaves: all writes until the first action without a
// result, which is pending. It returns nil if the run was not killed.
func (b *breakOff) left(
	entries engine.JournalEntries, before *deploy.Snapshot,
) (*deploy.Snapshot, error) {
	if b == nil || !b.met || !b.killed() {
		return nil, nil
	}
	lost := slices.IndexFunc(entries, func(one engine.TestJournalEntry) bool {
		return one.Kind == engine.TestJournalEntryFailure
	})
	if lost < 0 {
		return nil, errors.New("killed, and no action was lost")
	}
	return entries[:lost].Snap(before)
}
