// Package platform is the Pulumi program: the layers in order, each with the reason for its edges.
// It owns no resource of its own and knows no detail of a layer.
package platform

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/hosts/reach"
	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/tunnel"
)

// Program is the platform, or a program of one's own, with what it does beside registering
// resources. The zero value is the platform, and does nothing beside it.
type Program struct {
	// Layers registers a program's own layers. Nil: the platform's.
	Layers Layers
	// Configure turns on the layers of Strata's that Layers registers, for their charts, and may
	// set their other keys. Nil: nothing.
	Configure func(cfg *config.Config)
	// Orphans ends what a dead run of this project left running. It would go on changing hosts and
	// cluster beside this run, which holds the stack's lock. Previews do not.
	Orphans func(ctx context.Context) error
	// Connect returns the hook that runs before each change in a cluster of ours. Nil: objects that
	// exist already are refused.
	Connect components.Connect
	// Past reads the past of the stack before a server's host changes. Nil: nothing is refused.
	Past components.ReadPast
	// State reads the state of the stack before anything changes. Nil: nothing is refused.
	State func(ctx context.Context, stack string) (*stackstate.State, error)
	// Tunnel keeps open the way to addresses that only a jump host reaches, until the program ends.
	// Nil: everything is reached directly.
	Tunnel func(ctx *pulumi.Context, spec tunnel.Spec, key []byte) error
	// Verify asks the gates that no step of the run has run since it began; a closed one fails the
	// run. Nil: none is asked.
	Verify func(ctx *pulumi.Context, began time.Time, gates []*components.Gate) error
	// Warn tells the user something that is no reason to stop. Nil: nothing that would be told is
	// looked for.
	Warn func(ctx *pulumi.Context, message string) error
}

// Start holds the checked configuration and its artifacts, with which layers begin.
type Start struct {
	Config    *config.Config
	Artifacts *artifacts.Set
}

// Layer returns the arguments of the first layers in a cluster. They wait until it is stable.
func (s Start) Layer(cluster *components.Cluster) components.Layer {
	return components.Layer{
		Cluster: cluster, Artifacts: s.Artifacts, Timeouts: s.Config.Timeouts, Rules: s.Config,
		After: []pulumi.Resource{cluster.Stable},
	}
}

// Layers registers the layers of a program.
type Layers func(ctx *pulumi.Context, start Start) error

// Run registers the platform of the stack that Pulumi runs, and does nothing beside it.
func Run(ctx *pulumi.Context) error { return Program{}.Run(ctx) }

// Run registers the layers of the stack that Pulumi runs.
func (p Program) Run(ctx *pulumi.Context) error {
	began := time.Now()
	state, err := p.readState(ctx)
	if err != nil {
		return err
	}
	if p.Orphans != nil && !ctx.DryRun() {
		if err := p.Orphans(ctx.Context()); err != nil {
			return fmt.Errorf("what a dead run left running: %w", err)
		}
	}
	cfg, layers, err := p.read(ctx)
	if err != nil {
		return err
	}
	start, err := p.prepare(ctx, cfg, state)
	if err != nil {
		return err
	}
	var gates components.RegisteredGates
	if err := layers(gates.AttachTo(ctx), start); err != nil {
		return err
	}
	if p.Verify == nil || !bool(cfg.Verify) {
		return nil
	}
	return p.Verify(ctx, began, gates.Gates)
}

// read returns the configuration of the stack, and its layers.
func (p Program) read(ctx *pulumi.Context) (*config.Config, Layers, error) {
	if p.Layers != nil {
		cfg, err := config.ForProgram(ctx, p.Configure)
		return cfg, p.Layers, err
	}
	cfg, err := config.FromPulumi(ctx)
	if err != nil {
		return nil, nil, err
	}
	// Before the first resource, so that a file that cannot be read changes nothing.
	target, err := existingTarget(cfg)
	if err != nil {
		return nil, nil, err
	}
	manifests, err := components.ReadManifests(".", cfg.Apps.Manifests)
	return cfg, func(ctx *pulumi.Context, start Start) error {
		return p.layers(ctx, start, target, manifests)
	}, err
}

// prepare installs this program, opens the tunnel, and puts the artifacts in their places.
func (p Program) prepare(
	ctx *pulumi.Context, cfg *config.Config, state *stackstate.State,
) (Start, error) {
	// Gates run this very program, so it must be in its place before the first of them.
	if err := self.Install("."); err != nil {
		return Start{}, fmt.Errorf("install the program for its gates: %w", err)
	}
	if err := p.openTunnel(ctx, cfg); err != nil {
		return Start{}, err
	}
	files, err := p.bringArtifacts(ctx, cfg, state)
	if err != nil {
		return Start{}, fmt.Errorf("artifacts: %w", err)
	}
	return Start{Config: cfg, Artifacts: files}, p.checkKeys(ctx, cfg, files)
}

// layers registers the layers. Order in the code is for people; only the gates in After order
// anything.
func (p Program) layers(
	ctx *pulumi.Context, start Start, target pulumi.StringInput, manifests []components.Manifest,
) error {
	cfg, files := start.Config, start.Artifacts
	var registered components.Registered
	if err := registered.Watch(ctx); err != nil {
		return err
	}
	base, err := newBase(ctx, cfg, files, target, p)
	if err != nil {
		return err
	}
	teardown, err := base.guard(ctx, cfg, p.Warn)
	if err != nil {
		return err
	}
	above, err := inCluster(ctx, cfg, start.Layer(base.cluster), manifests)
	if err := teardown.End(&registered, err); err != nil {
		return err
	}
	base.export(ctx, cfg, files)
	above.export(ctx)
	return nil
}

// readState reads the state of the stack, and refuses one of another layout. It returns an empty
// one where there is no way to it.
func (p Program) readState(ctx *pulumi.Context) (*stackstate.State, error) {
	if p.State == nil {
		return &stackstate.State{}, nil
	}
	stack := ctx.Stack()
	if organization := ctx.Organization(); organization != "organization" { // the name that backends without them have
		stack = organization + "/" + ctx.Project() + "/" + stack
	}
	state, err := p.State(ctx.Context(), stack)
	if err != nil {
		return nil, fmt.Errorf("state of stack %s: %w", stack, err)
	}
	return state, state.CheckLayout(stack)
}

// openTunnel opens the way to what only a jump host reaches. A preview goes on without it, as it
// does where the cluster does not answer.
func (p Program) openTunnel(ctx *pulumi.Context, cfg *config.Config) error {
	if p.Tunnel == nil || cfg.Hosts.SSH.DynamicForward == 0 {
		return nil
	}
	spec, key, err := reach.Tunnel(cfg.Hosts, ".")
	if err != nil {
		return err
	}
	if err = p.Tunnel(ctx, spec, key); err != nil && ctx.DryRun() {
		return ctx.Log.Warn(err.Error(), nil)
	}
	return err
}
