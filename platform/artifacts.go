package platform

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
)

// bringArtifacts finds the stack's artifacts, and puts them into the project.
func (p Program) bringArtifacts(ctx *pulumi.Context, cfg *config.Config) (*artifacts.Set, error) {
	files, err := artifacts.Resolve(cfg, ".")
	if err != nil {
		return nil, err
	}
	if err := p.checkSource(ctx, cfg, files); err != nil {
		return nil, err
	}
	if ctx.DryRun() {
		return files, files.MaterialiseCharts(ctx.Context()) // a preview downloads nothing
	}
	return files, files.Materialise(ctx.Context())
}

// checkSource refuses artifacts of another kind than the stack has, unless STRATA_ARTIFACTS names
// their source: they could replace K3s on every host.
func (p Program) checkSource(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set) error {
	if p.State == nil || os.Getenv(config.ArtifactsVariable) != "" {
		return nil
	}
	state, err := p.State(ctx.Context(), ctx.Stack())
	if err != nil {
		return fmt.Errorf("state of stack %s: %w", ctx.Stack(), err)
	}
	kind, before := files.Kind(), components.ArtifactsOf(state)
	if before == "" || before == kind {
		return nil
	}
	return fmt.Errorf("stack %s: expected kind %s, as its last run had, found %s (strata:artifacts.source is %s). "+
		"Another kind can replace K3s on every host; nothing was changed. Set the source back, or name it for this run: %s=%s",
		ctx.Stack(), before, kind, cfg.Artifacts.Source, config.ArtifactsVariable, cfg.Artifacts.Source)
}
