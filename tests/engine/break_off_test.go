package engine_test

import (
	"context"
	"errors"
	"slices"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
)

// manner selects a way in which a run breaks off.
type manner int

const (
	// killedBefore and killedBehind are a SIGKILL of Pulumi, and so of its providers, before and
	// behind the effect of an action.
	killedBefore manner = iota
	killedBehind
	// refused is an action that fails.
	refused
	// interrupted is a SIGINT: Pulumi begins nothing more.
	interrupted
	// manners counts them.
	manners = iota
)

func (m manner) String() string {
	return [...]string{"killed before", "killed behind", "refused at", "interrupted at"}[m]
}

// breakOff has a run end early.
type breakOff struct {
	manner manner
	// after counts the actions that begin before the one that it meets.
	after int
	// met is whether the run came so far.
	met bool
	// interrupt is the SIGINT.
	interrupt context.CancelFunc
}

var (
	errKilled  = errors.New("killed")
	errRefused = errors.New("made to fail once")
)

// before is called ahead of an action's effect: an error is what it ends with, without its effect.
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

// behind is called behind an action's effect.
func (b *breakOff) behind() error {
	if b != nil && b.met && b.killed() {
		return errKilled
	}
	return nil
}

func (b *breakOff) killed() bool { return b.manner == killedBefore || b.manner == killedBehind }

// left is the state that a kill leaves: what was written until the first action that did not come
// back, and it as pending. It is nil where nothing was killed.
func (b *breakOff) left(entries engine.JournalEntries, before *deploy.Snapshot) (*deploy.Snapshot, error) {
	if b == nil || !b.met || !b.killed() {
		return nil, nil
	}
	lost := slices.IndexFunc(entries, func(one engine.TestJournalEntry) bool { return one.Kind == engine.TestJournalEntryFailure })
	if lost < 0 {
		return nil, errors.New("killed, and no action was lost")
	}
	return entries[:lost].Snap(before)
}
