package platform

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
)

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
