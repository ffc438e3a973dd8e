// Package platform is the Pulumi program. It registers the layers and the dependencies between
// them; package components has the layers' resources.
package platform

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/hosts/reach"
	"strata/actions/stack/drift"
	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/tunnel"
)

// Program is the platform or a user's own program, with functions that it calls besides registering
// resources. The zero value is the platform without these functions.
type Program struct {
	// Layers registers the layers of a user's own program. Default: the platform's layers.
	Layers Layers
	// Configure enables, in the configuration, those of Strata's layers that Layers registers, so
	// that their charts are fetched. It may set other keys of these layers. Optional.
	Configure func(cfg *config.Config)
	// Orphans kills processes that an interrupted run of this project left behind, because they
	// would change hosts and the cluster at the same time as this run. Previews do not call it.
	// Optional.
	Orphans func(ctx context.Context) error
	// Connect returns the hook that runs before each change in a cluster that Strata built. If nil,
	// existing objects are not adopted.
	Connect components.Connect
	// Past reads which cluster the stack had before, to refuse an update that would create a second
	// one. If nil, nothing is refused.
	Past components.ReadPast
	// State reads the stack's state, to refuse another layout or another kind of artifacts. If nil,
	// nothing is refused.
	State func(ctx context.Context, stack string) (*stackstate.State, error)
	// Drift finds what was changed on the hosts and in the cluster since the stack's last update. If
	// nil, nothing is put back.
	Drift func(ctx *pulumi.Context, stack string, cfg config.Drift) (*components.PutBack, error)
	// Tunnel opens an SSH tunnel to addresses that only a jump host reaches, until the program
	// exits. If nil, no tunnel is opened.
	Tunnel func(ctx *pulumi.Context, spec tunnel.Spec, key []byte) error
	// Verify runs the gates that this run has not run since began, and returns an error if one
	// fails. Optional.
	Verify func(ctx *pulumi.Context, began time.Time, gates []*components.Gate) error
	// Warn prints a warning. If nil, there are no warnings.
	Warn func(ctx *pulumi.Context, message string) error
}

// Start has the validated configuration and the artifacts of a run.
type Start struct {
	Config    *config.Config
	Artifacts *artifacts.Set
}

// Layer returns the arguments of layers that only wait for cluster.Stable.
func (s Start) Layer(cluster *components.Cluster) components.Layer {
	return components.Layer{
		Cluster: cluster, Artifacts: s.Artifacts, Timeouts: s.Config.Timeouts, Rules: s.Config,
		After: []pulumi.Resource{cluster.Stable},
	}
}

// Layers registers the layers of a program.
type Layers func(ctx *pulumi.Context, start Start) error

// Run registers the platform's resources. It is the Run of the zero Program.
func Run(ctx *pulumi.Context) error { return Program{}.Run(ctx) }

// Run reads and checks the stack's state and configuration, prepares the artifacts, and registers
// the layers. Then it verifies gates, if Verify is set and the configuration asks for it.
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
	attached, err := p.findDrift(ctx, cfg, state)
	if err != nil {
		return err
	}
	var gates components.RegisteredGates
	if err := layers(gates.AttachTo(attached), start); err != nil {
		return err
	}
	if p.Verify == nil || !bool(cfg.Verify) {
		return nil
	}
	return p.Verify(ctx, began, gates.Gates)
}

// read returns the stack's configuration, and the function that registers its layers.
func (p Program) read(ctx *pulumi.Context) (*config.Config, Layers, error) {
	if p.Layers != nil {
		cfg, err := config.ForProgram(ctx, p.Configure)
		return cfg, p.Layers, err
	}
	cfg, err := config.FromPulumi(ctx)
	if err != nil {
		return nil, nil, err
	}
	// Files are read before the first resource is registered, so that an unreadable file changes
	// nothing.
	target, err := existingTarget(cfg)
	if err != nil {
		return nil, nil, err
	}
	manifests, err := components.ReadManifests(".", cfg.Apps.Manifests)
	return cfg, func(ctx *pulumi.Context, start Start) error {
		return p.layers(ctx, start, target, manifests)
	}, err
}

// prepare copies this program to the place from which commands run it, opens the tunnel, fetches
// the artifacts, and checks the user's chart values.
func (p Program) prepare(
	ctx *pulumi.Context, cfg *config.Config, state *stackstate.State,
) (Start, error) {
	// Commands and gates run this program, so it is installed first.
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

// layers registers the platform's layers and outputs. The order of the calls does not matter to
// Pulumi; the gates in After do.
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

// readState returns the stack's state, or an error if the state has another layout. It returns an
// empty State if p.State is nil.
func (p Program) readState(ctx *pulumi.Context) (*stackstate.State, error) {
	if p.State == nil {
		return &stackstate.State{}, nil
	}
	stack := fullName(ctx)
	state, err := p.State(ctx.Context(), stack)
	if err != nil {
		return nil, fmt.Errorf("state of stack %s: %w", stack, err)
	}
	return state, state.CheckLayout(stack)
}

// fullName returns the stack's name for Pulumi's command line.
func fullName(ctx *pulumi.Context) string {
	// Pulumi reports the name "organization" if the backend has no organizations.
	if organization := ctx.Organization(); organization != "organization" {
		return organization + "/" + ctx.Project() + "/" + ctx.Stack()
	}
	return ctx.Stack()
}

// findDrift returns a context whose resources put back what was changed since the last update. A
// stack without a cluster has nothing to compare.
func (p Program) findDrift(
	ctx *pulumi.Context, cfg *config.Config, state *stackstate.State,
) (*pulumi.Context, error) {
	found := &components.PutBack{}
	if p.Drift != nil && len(state.Commands("gate")) > 0 {
		var err error
		if found, err = p.Drift(ctx, fullName(ctx), cfg.Drift); err != nil {
			return nil, fmt.Errorf("drift: %w", err)
		}
	}
	found.Former = drift.Former(state)
	return found.AttachTo(ctx)
}

// openTunnel opens the SSH tunnel, if one is configured. In a preview, which also works without the
// cluster, a failure is only a warning.
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
