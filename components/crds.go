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
	// Bundles has the artifacts to apply, by the name of the bundle.
	Bundles map[string]string
}

// CRDs owns the bundles of CRDs that no chart brings. They are a layer of their own, with one
// owner. K3s, Traefik and APISIX are configured not to install them, and the programs that read
// them wait for the bundle's gate.
type CRDs struct {
	pulumi.ResourceState
	// Served has a gate for each bundle. It passes once every API server serves the bundle's
	// definitions.
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

// NewCRDs registers each bundle and its gate. The bundles do not wait for each other.
func NewCRDs(
	ctx *pulumi.Context, name string, args *CRDsArgs, opts ...pulumi.ResourceOption,
) (*CRDs, error) {
	c := &CRDs{Served: map[string]*Gate{}}
	if err := ctx.RegisterComponentResource(tokenOf("crds", "CRDs"), name, c, opts...); err != nil {
		return nil, err
	}
	for _, bundle := range slices.Sorted(maps.Keys(args.Bundles)) { // as they come, `strata health` lists their gates
		artifact := args.Bundles[bundle]
		applied, err := c.apply(ctx, name+"-"+bundle, bundle, artifact, args)
		if err != nil {
			return nil, fmt.Errorf("crds: %s: %w", bundle, err)
		}
		// The preview of a change of the apply does not know the applied names, even if the change
		// only renews the kubeconfig.
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

// apply registers one bundle as one resource (docs/adr/0007). The bundle is not deleted with its
// layer unless the configuration says so: deleting a definition deletes every object of its kind.
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
	opts := append(childOf(c, args.After...), args.Cluster.deletedWith()...)
	if err := registerAttempt(ctx, name, command, opts); err != nil {
		return nil, err
	}
	return local.NewCommand(ctx, name, command, append(opts, customTimeouts(args.Timeouts.CRDs))...)
}
