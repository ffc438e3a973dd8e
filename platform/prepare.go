package platform

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/hosts/reach"
	"strata/actions/stack/drift"
	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
)

// readState returns the stack's state, or an error if the state has another layout than this
// program's. It returns an empty State if p.State is nil.
func (p Program) readState(ctx *pulumi.Context) (*stackstate.State, error) {
	if p.State == nil {
		return &stackstate.State{}, nil
	}
	stack := components.StackName(ctx)
	state, err := p.State(ctx.Context(), stack)
	if err != nil {
		return nil, fmt.Errorf("state of stack %s: %w", stack, err)
	}
	return state, state.CheckLayout(stack)
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

// findDrift returns a context whose resources put back what was changed since the last update. A
// stack without a cluster has nothing to compare.
func (p Program) findDrift(
	ctx *pulumi.Context, cfg *config.Config, state *stackstate.State,
) (*pulumi.Context, error) {
	found := &components.PutBack{}
	if p.Drift != nil && len(state.Commands("gate")) > 0 {
		var err error
		if found, err = p.Drift(ctx, components.StackName(ctx), cfg.Drift); err != nil {
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

// bringArtifacts returns the stack's artifacts, and downloads or copies them into the project
// folder. A preview only copies charts, and downloads nothing.
func (p Program) bringArtifacts(
	ctx *pulumi.Context, cfg *config.Config, state *stackstate.State,
) (*artifacts.Set, error) {
	files, err := artifacts.Resolve(cfg, ".")
	if err != nil {
		return nil, err
	}
	if err := checkSource(ctx.Stack(), cfg, files, state); err != nil {
		return nil, err
	}
	if ctx.DryRun() {
		return files, files.MaterialiseCharts(ctx.Context())
	}
	return files, files.Materialise(ctx.Context())
}

// checkSource returns an error if the artifacts have another kind than in the stack's last update:
// other artifacts could replace K3s on every host. STRATA_ARTIFACTS, which sets the source for one
// run, allows another kind.
func checkSource(
	stack string, cfg *config.Config, files *artifacts.Set, state *stackstate.State,
) error {
	if os.Getenv(config.ArtifactsVariable) != "" {
		return nil
	}
	kind, before := files.Kind(), components.ArtifactsOf(state)
	if before == "" || before == kind {
		return nil
	}
	return fmt.Errorf("stack %s: expected kind %s, as its last run had, found %s (strata:artifacts.source is %s). "+
		"Another kind can replace K3s on every host; nothing was changed. Set the source back, "+
		"or name it for this run: %s=%s",
		stack, before, kind, cfg.Artifacts.Source, config.ArtifactsVariable, cfg.Artifacts.Source)
}
