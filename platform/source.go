package platform

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
)

// checkSource refuses artifacts of another kind than the stack has, unless STRATA_ARTIFACTS names
// their source: they could replace K3s on every host.
func (p Program) checkSource(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set) error {
	if p.State == nil || os.Getenv(config.ArtifactsVariable) != "" {
		return nil
	}
	state, err := p.State(ctx.Context(), ctx.Stack())
	if err != nil {
		return fmt.Errorf("artifacts: state of stack %s: %w", ctx.Stack(), err)
	}
	kind, before := files.Kind(), components.ArtifactsOf(state)
	if before == "" || before == kind {
		return nil
	}
	return fmt.Errorf("artifacts: stack %s: expected those of %s, which it was brought up with, found those of %s "+
		"(strata:artifacts.source: %s). They can replace K3s on every host, and nothing was changed. "+
		"Set the source back, or name it to change it: %s=%s",
		ctx.Stack(), before, kind, cfg.Artifacts.Source, config.ArtifactsVariable, cfg.Artifacts.Source)
}
