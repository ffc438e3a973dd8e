package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/cluster/crds"
	"strata/actions/stack/teardown"
	"strata/config"
	"strata/health"
	crdsgate "strata/health/crds"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
)

// CRDsArgs configures CRDs.
type CRDsArgs struct {
	Layer
	// Config is the section strata:crds, validated.
	Config config.CRDs
	// Bundles maps the name of each bundle to the artifact that is applied.
	Bundles map[string]string
}

// CRDs owns the bundles of CRDs that are not installed by a chart. They are a layer of their own,
// so that each CRD has one owner: K3s, Traefik and APISIX are configured not to install them.
// Controllers of these kinds wait for the bundle's gate.
type CRDs struct {
	pulumi.ResourceState
	// Served has the gate of each bundle, by the bundle's name. The gate passes once every API
	// server serves the bundle's CRDs.
	Served map[string]*Gate
}

// These are the names of the bundles.
const (
	// BundleGatewayAPI is the Gateway API's standard channel.
	BundleGatewayAPI = "gateway-api"
	// BundleAPISIX are APISIX's own kinds: GatewayProxy, ApisixRoute, Consumer and others.
	BundleAPISIX = "apisix"
	// BundleTraefik are Traefik's own kinds: IngressRoute, Middleware and others.
	BundleTraefik = "traefik"
)

// NewCRDs registers each bundle and its gate. The bundles are applied in parallel.
func NewCRDs(
	ctx *pulumi.Context, name string, args *CRDsArgs, opts ...pulumi.ResourceOption,
) (*CRDs, error) {
	c := &CRDs{Served: map[string]*Gate{}}
	if err := ctx.RegisterComponentResource(tokenOf("crds", "CRDs"), name, c, opts...); err != nil {
		return nil, err
	}
	// `strata health` lists gates in the order of registration, so bundles are registered by name.
	for _, bundle := range slices.Sorted(maps.Keys(args.Bundles)) {
		artifact := args.Bundles[bundle]
		applied, err := c.apply(ctx, name+"-"+bundle, bundle, artifact, args)
		if err != nil {
			return nil, fmt.Errorf("crds: %s: %w", bundle, err)
		}
		// The names of the CRDs are unknown in a preview that updates the apply command, even if
		// only the kubeconfig is renewed. rerun.Attempt makes such a preview show no replacement of
		// the gate.
		word, err := rerun.Attempt(ctx, name+"-"+bundle+"-gate", pulumi.StringMap{
			"revision": pulumi.String(args.Artifacts.Digest(artifact)),
			"servers":  args.Cluster.serverList(),
		}, childOf(c, applied)...)
		if err != nil {
			return nil, fmt.Errorf("crds: attempt of the gate of %s: %w", bundle, err)
		}
		c.Served[bundle], err = args.Cluster.gate(ctx, name+"-"+bundle+"-gate", gateArgs{
			Spec: health.Spec{
				Layer: "crds", Timeout: args.Timeouts.CRDs, TimeoutKey: "strata:timeouts.crds",
				Revision: args.Artifacts.Digest(artifact), Body: crdsgate.Spec{},
			},
			Body: pulumix.Apply(applied.Stdout, func(names string) health.Body {
				return crdsgate.Spec{Names: strings.Fields(names)}
			}),
			Attempt: word,
		}, childOf(c, applied)...)
		if err != nil {
			return nil, fmt.Errorf("crds: gate of %s: %w", bundle, err)
		}
	}
	return c, registerOutputs(ctx, c)
}

// apply registers the command that applies a bundle (docs/adr/0007). By default a destroy keeps the
// bundle (strata:crds.keep), because deleting a CRD deletes all objects of its kind.
func (c *CRDs) apply(
	ctx *pulumi.Context, name, bundle, artifact string, args *CRDsArgs,
) (*local.Command, error) {
	file, err := args.Artifacts.Get(artifact)
	if err != nil {
		return nil, err
	}
	command := actions.Command(crds.Apply, crds.Input{
		Name: bundle, Version: file.Version, File: file.Path, SHA256: file.SHA256,
		Timeout: args.Timeouts.CRDs,
	}, pulumi.StringMap{self.Kubeconfig: args.Cluster.Kubeconfig})
	kind := teardown.KindKeptBundle
	if !*args.Config.Keep {
		kind, command.Delete = teardown.KindBundle, actions.Text(crds.Remove)
	}
	args.Cluster.objects.Add(kind, "", bundle)
	opts := append(childOf(c, args.After...), args.Cluster.deletedWith())
	if err := registerAttempt(ctx, name, command, opts); err != nil {
		return nil, err
	}
	return newCommand(ctx, name, command, append(opts, customTimeouts(args.Timeouts.CRDs))...)
}
