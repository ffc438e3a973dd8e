package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
)

// registerManifests registers the user's manifests. Each object waits until its kind is served and
// its webhook works.
func (a *above) registerManifests(
	ctx *pulumi.Context, start components.Layer, manifests []components.Manifest,
) error {
	if len(manifests) == 0 {
		return nil
	}
	_, err := components.NewManifests(ctx, "manifests", &components.ManifestsArgs{
		Layer: start, Objects: manifests, Kinds: a.kinds(),
	})
	return err
}
