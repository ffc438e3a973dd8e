package platform

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/stackstate"
)

// bringArtifacts returns the stack's artifacts, and downloads or copies them into the project
// folder. A preview only does this for charts.
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
		return files, files.MaterialiseCharts(ctx.Context()) // a preview needs only the charts
	}
	return files, files.Materialise(ctx.Context())
}

// checkSource returns an error if the artifacts have another kind than those of the stack's last
// update, because they could replace K3s on every host. STRATA_ARTIFACTS, which sets the source for
// one run, allows it.
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
