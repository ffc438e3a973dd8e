package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	lt "github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/platform"
	"strata/tests/pulumitest"
)

// root is the project's root folder.
var root = pulumitest.Root

// section is a part of the configuration, in YAML's types.
type section = map[string]any

// stack is a stack whose state is kept over several runs.
type stack struct {
	*world
	t *testing.T
	// project is the folder in which the program runs.
	project *pulumitest.Project
	// config is the configuration by section. Tests change it between runs.
	config map[string]section
	// secret are the keys of the sections that Pulumi passes as encrypted.
	secret []string
	// parallel is the engine's option --parallel.
	parallel int32
	// answers has the outputs of the fake providers.
	answers *pulumitest.Answers
	// registers is the program. By default it is the platform's own.
	registers pulumi.RunFunc

	// quick skips the harness's checks of every intermediate state. journal is that of the last
	// quick run.
	quick   bool
	journal *journal
	// refreshes is the engine's option --refresh, for a quick run.
	refreshes bool
	// running is canceled at the end of a run. The engine keeps a program waiting that it no longer
	// needs; Pulumi would kill that program.
	running context.Context

	plan     *lt.TestPlan
	snapshot *deploy.Snapshot
}

// newStack returns an empty stack with a committed configuration.
func newStack(t *testing.T, name string) *stack {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Pulumi."+name+".yaml"))
	require.NoError(t, err)
	var file struct {
		Config map[string]section `json:"config"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	project := pulumitest.NewProject(t)
	s := &stack{t: t, project: project, world: newWorld(), config: file.Config, parallel: 32,
		registers: platform.Run, answers: pulumitest.NewAnswers(t)}
	runtime := deploytest.NewLanguageRuntimeF(s.program)
	s.plan = &lt.TestPlan{Project: "strata", Stack: name, Options: lt.TestUpdateOptions{
		T: quiet{t}, SkipDisplayTests: true,
		HostF: deploytest.NewPluginHostF(nil, nil, runtime, nil, nil,
			loaders(t, s.world, s.answers)...),
	}}
	return s
}

// program runs the program against the engine's monitor.
func (s *stack) program(info plugin.RunInfo, _ *deploytest.ResourceMonitor) error {
	handed, err := s.handed()
	if err != nil {
		return err
	}
	ctx, err := pulumi.NewContext(s.running, pulumi.RunInfo{
		Project: info.Project, Stack: info.Stack, Parallel: info.Parallel, DryRun: info.DryRun,
		MonitorAddr: info.MonitorAddress, Config: handed, ConfigSecretKeys: s.secret,
	})
	if err != nil {
		return err
	}
	defer func() { _ = ctx.Close() }()
	return pulumi.RunWithContext(ctx, s.registers)
}

// handed returns the configuration as Pulumi passes it to a program.
func (s *stack) handed() (map[string]string, error) {
	handed := map[string]string{}
	for key, value := range s.config {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		handed[key] = string(text)
	}
	return handed, nil
}

// result has the actions and the output of one run.
type result struct {
	// actions are the requests to the providers.
	actions actions
	// steps are the engine's steps by resource name, for example create, same, delete.
	steps map[string][]string
	// inputs has the inputs of each resource.
	inputs map[string]resource.PropertyMap
	// errors are the error messages by resource.
	errors map[string]string
	err    error
}

// begins prepares a run, and returns the function that cancels running.
func (s *stack) begins() (ends context.CancelFunc) {
	s.running, ends = context.WithCancel(context.Background())
	return ends
}

// run runs an operation. Unless it is a preview, run keeps the new state.
func (s *stack) run(op lt.TestOp, preview bool) *result {
	s.t.Helper()
	r := &result{steps: map[string][]string{}, inputs: map[string]resource.PropertyMap{},
		errors: map[string]string{}}
	options := s.plan.Options
	options.Parallel = s.parallel
	var killed *deploy.Snapshot
	validate := func(_ workspace.Project, target deploy.Target, entries engine.JournalEntries,
		events []engine.Event, err error) error {
		for _, event := range events {
			r.hear(event)
		}
		var wrong error
		if killed, wrong = s.breaks.left(entries, target.Snapshot); wrong != nil {
			return errors.Join(err, wrong)
		}
		return err
	}
	defer s.begins()()
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		if s.breaks != nil {
			s.breaks.interrupt = interrupt
		}
		var after *deploy.Snapshot
		if s.quick {
			var entries engine.JournalEntries
			after, entries, r.err = s.quickly(ctx, op, preview, r.hear)
			r.err = validate(workspace.Project{}, deploy.Target{Snapshot: s.journal.base}, entries,
				nil, r.err)
		} else {
			after, r.err = op.RunWithContext(ctx, s.plan.GetProject(),
				s.plan.GetTarget(s.t, s.snapshot), options, preview, nil, validate)
		}
		if !preview {
			s.snapshot = after
		}
		if killed != nil {
			killed.SecretsManager = after.SecretsManager
			s.snapshot = killed
		}
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		s.t.Fatal("the engine does not come to an end: deadlock")
	}
	r.actions = s.take()
	return r
}

// hear records the steps and errors in the engine's events.
func (r *result) hear(event engine.Event) {
	switch payload := event.Payload().(type) {
	case engine.ResourcePreEventPayload:
		step := payload.Metadata
		r.steps[step.URN.Name()] = append(r.steps[step.URN.Name()], string(step.Op))
		if step.New != nil && step.New.State != nil {
			r.inputs[step.URN.Name()] = step.New.State.Inputs
		}
	case engine.DiagEventPayload:
		if payload.Severity == "error" {
			r.errors[string(payload.URN)] += payload.Message
		}
	}
}

func (s *stack) up() *result      { s.t.Helper(); return s.run(engine.Update, false) }
func (s *stack) preview() *result { s.t.Helper(); return s.run(engine.Update, true) }
func (s *stack) destroy() *result { s.t.Helper(); return s.run(engine.Destroy, false) }

// mustUp runs an update that must succeed.
func (s *stack) mustUp() *result {
	s.t.Helper()
	r := s.up()
	require.NoError(s.t, r.err)
	return r
}

// stored returns the resources in the state, by name.
func (s *stack) stored() map[string]*pkgresource.State {
	states := map[string]*pkgresource.State{}
	if s.snapshot != nil {
		for _, state := range s.snapshot.Resources {
			states[state.URN.Name()] = state
		}
	}
	return states
}

// set changes one value of the configuration.
func (s *stack) set(name, key string, value any) {
	if s.config["strata:"+name] == nil {
		s.config["strata:"+name] = section{}
	}
	s.config["strata:"+name][key] = value
}

// removeNodes removes nodes from the configuration.
func (s *stack) removeNodes(names ...string) {
	nodes := s.config["strata:hosts"]["nodes"].([]any)
	s.set("hosts", "nodes", slices.DeleteFunc(slices.Clone(nodes), func(node any) bool {
		return slices.Contains(names, node.(map[string]any)["name"].(string))
	}))
}

// changed returns the steps of each resource that has a step other than same.
func (r *result) changed() map[string][]string {
	changed := map[string][]string{}
	for name, steps := range r.steps {
		for _, step := range steps {
			if step != string(deploy.OpSame) {
				changed[name] = steps
			}
		}
	}
	return changed
}

// quiet keeps the engine's own messages out of a test's output.
type quiet struct{ *testing.T }

func (quiet) Logf(string, ...any) {}
func (quiet) Log(...any)          {}
