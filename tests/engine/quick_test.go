package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	lt "github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// journal records the writes of a run to its state, in order. A kill leaves the first writes and
// loses the others. Unlike the harness's journal, it can be read during the run.
type journal struct {
	mutex   sync.Mutex
	entries engine.JournalEntries
	// base is the state before the run.
	base *deploy.Snapshot
}

func (j *journal) add(kind engine.TestJournalEntryKind, step deploy.Step) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.entries = append(j.entries, engine.TestJournalEntry{Kind: kind, Step: step})
}

// written returns the writes so far.
func (j *journal) written() engine.JournalEntries {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return slices.Clone(j.entries)
}

// now returns a copy of the state after the writes so far, because the engine changes its own.
func (j *journal) now() (*deploy.Snapshot, error) {
	snapshot, err := j.written().Snap(j.base)
	return copied(snapshot), err
}

func (j *journal) BeginMutation(step deploy.Step) (engine.SnapshotMutation, error) {
	j.add(engine.TestJournalEntryBegin, step)
	return j, nil
}

func (j *journal) End(step deploy.Step, success bool) error {
	kind := engine.TestJournalEntryFailure
	if success {
		kind = engine.TestJournalEntrySuccess
	}
	j.add(kind, step)
	return nil
}

func (j *journal) RegisterResourceOutputs(step deploy.Step) error {
	j.add(engine.TestJournalEntryOutputs, step)
	return nil
}

func (*journal) SetSnippets([]resource.Snippet) error    { return nil }
func (*journal) RecordPlugin(workspace.PluginInfo) error { return nil }
func (*journal) Write(*deploy.Snapshot) error            { return nil }
func (*journal) RebuiltBaseState() error                 { return nil }
func (*journal) SupportsStateMigrations() bool           { return false }

func (*journal) StateMigration(*deploy.StateMigrationTransaction) error { return nil }
func (*journal) Close() error                                           { return nil }

// copied returns a copy of a state and its resources. The contents of resources never change in
// place.
func copied(snapshot *deploy.Snapshot) *deploy.Snapshot {
	if snapshot == nil {
		return nil
	}
	own := *snapshot
	own.Resources = make([]*pkgresource.State, len(snapshot.Resources))
	for i, state := range snapshot.Resources {
		own.Resources[i] = state.Copy()
	}
	own.PendingOperations = make([]pkgresource.Operation, len(snapshot.PendingOperations))
	for i, pending := range snapshot.PendingOperations {
		own.PendingOperations[i] = pkgresource.NewOperation(pending.Resource.Copy(), pending.Type)
	}
	return &own
}

// quickly runs an operation without the harness, which serializes and verifies the state three
// times after each step, in nine tenths of a run's time. quickly verifies only the last state, or
// the one that a kill leaves.
func (s *stack) quickly(
	ctx context.Context, op lt.TestOp, preview bool, hear func(engine.Event),
) (*deploy.Snapshot, engine.JournalEntries, error) {
	target := s.plan.GetTarget(s.t, nil)
	target.Snapshot = copied(s.snapshot)
	s.journal = &journal{base: target.Snapshot}
	options := s.plan.Options.Options()
	options.Parallel, options.Refresh = s.parallel, s.refreshes
	host := s.plan.Options.HostF()
	options.HostFactory = func(context.Context, diag.Sink, diag.Sink,
		plugin.DebugContext) (plugin.Host, error) {
		return host, nil
	}
	canceled, source := cancel.NewContext(context.Background())
	defer source.Terminate() // otherwise the engine keeps 5 MB of this run forever
	defer context.AfterFunc(ctx, func() { source.Cancel() })()
	events, heard := make(chan engine.Event), make(chan struct{})
	var over sync.Mutex // locked forever once a panic has ended the run
	go func() {
		defer close(heard)
		for event := range events {
			over.Lock()
			hear(event)
			over.Unlock()
		}
	}()
	err := surviving(func() error {
		_, _, err := op(lt.NewUpdateInfo(s.plan.GetProject(), target), &engine.Context{
			Cancel: canceled, Events: events, SnapshotManager: s.journal,
			PluginManager: lt.NopPluginManager{},
		}, options, preview)
		return err
	})
	if errors.Is(err, errPanicked) {
		over.Lock() // parallel steps may still send events
	} else {
		close(events)
		<-heard
	}
	entries := s.journal.written()
	after, wrong := entries.Snap(target.Snapshot)
	return after, entries, errors.Join(err, wrong, host.Close())
}

// errPanicked reports that the engine panicked.
var errPanicked = errors.New("the engine panicked")

// surviving runs an operation, and returns an error if the engine panics. A panic ends Pulumi's
// command, but must not end the test.
func surviving(operation func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%w: %v", errPanicked, broken)
		}
	}()
	return operation()
}

// goesOn sets whether the engine continues after a failed step. Since 3.274, such an engine panics
// if it skips an unchanged provider (pulumi#20529). The panic leaves a state like a kill.
func (s *stack) goesOn(on bool) {
	s.t.Setenv("PULUMI_DEV", "true")
	s.t.Setenv("PULUMI_GOROUTINE_PANIC_RECOVERY", "true")
	s.plan.Options.ContinueOnError, s.quick = on, on
}
