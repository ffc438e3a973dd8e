// Package platform is the Pulumi program: the layers in order, each with the reason for its edges.
// It owns no resource of its own and knows no detail of a layer.
package platform

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/hosts/reach"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/tunnel"
)

// Program is the platform, or a program of one's own, with what it does beside registering
// resources. The zero value is the platform, and does nothing beside it.
type Program struct {
	// Layers registers a program's own layers. Nil: the platform's.
	Layers Layers
	// Configure turns on the layers of Strata's that Layers registers, for their charts, and may set
	// their other keys. Nil: nothing.
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

// readState reads the state of the stack, and refuses one of another layout. It returns an empty one
// where there is no way to it.
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

// inCluster registers everything inside the cluster. All of it shares start.
func inCluster(
	ctx *pulumi.Context, cfg *config.Config, start components.Layer, manifests []components.Manifest,
) (*above, error) {
	above, err := aboveCluster(ctx, cfg, start)
	if err != nil {
		return nil, err
	}
	if err := above.applications(ctx, cfg, start); err != nil {
		return nil, err
	}
	return above, above.registerManifests(ctx, start, manifests)
}

// above are the layers inside the cluster; a nil one is not configured.
type above struct {
	metallb *components.MetalLB
	manager *components.CertManager
	crds    *components.CRDs
	ca      *components.CA
	vault   *components.Vault
	traefik *components.Traefik
	apisix  *components.APISIX
	demo    *components.Demo
	argocd  *components.ArgoCD
	wave    *components.Wave
	// workloads are the user's applications by name.
	workloads map[string]*components.Workload
}

// aboveCluster registers the layers inside the cluster. MetalLB, the CRDs and cert-manager start
// together, as soon as the API answers and no drain is to come: a gate must not pass on a Pod that
// the drain then moves. None waits for every node: Pods wait for nodes by themselves, and the gates
// observe running Pods (docs/adr/0006).
func aboveCluster(ctx *pulumi.Context, cfg *config.Config, start components.Layer) (*above, error) {
	var a above
	var err error
	if *cfg.MetalLB.Enabled {
		a.metallb, err = components.NewMetalLB(ctx, "metallb",
			&components.MetalLBArgs{Layer: start, Config: cfg.MetalLB})
		if err != nil {
			return nil, err
		}
	}
	if *cfg.CertManager.Enabled {
		a.manager, err = components.NewCertManager(ctx, "cert-manager", &components.CertManagerArgs{
			Layer: start, Config: cfg.CertManager, KeepCRDs: *cfg.CRDs.Keep,
		})
		if err != nil {
			return nil, err
		}
		if err := a.issuers(ctx, cfg, start); err != nil {
			return nil, err
		}
	}
	if err := a.ingress(ctx, cfg, start); err != nil {
		return nil, err
	}
	if *cfg.ArgoCD.Enabled {
		// Its release needs no ingress, only its route does (docs/adr/0008).
		a.argocd, err = components.NewArgoCD(ctx, "argocd", &components.ArgoCDArgs{
			Layer: start, Config: cfg.ArgoCD, Domain: cfg.Ingress.Domain, KeepCRDs: *cfg.CRDs.Keep,
			CASecret: a.ca.CASecret,
			Ingress:  []pulumi.Resource{a.traefik.Programmed, a.traefik.Address}, IngressValues: a.traefik.Values,
		})
		if err != nil {
			return nil, err
		}
	}
	return &a, nil
}

// issuers registers the signers of certificates: a root of the stack's own, Vault, or an ACME
// server. The stack's own Vault needs the root as well, for its own certificate; a Vault by its
// address does not.
func (a *above) issuers(ctx *pulumi.Context, cfg *config.Config, start components.Layer) error {
	var err error
	// An issuer before the webhook is refused: connection refused, then x509.
	signing := start.WithDependencies(a.manager.API)
	if cfg.CertManager.Issuer == config.IssuerSelfSigned || *cfg.Vault.Enabled {
		a.ca, err = components.NewCA(ctx, "ca", &components.CAArgs{Layer: signing, Config: cfg.CertManager})
		if err != nil {
			return err
		}
	}
	if *cfg.Vault.Enabled {
		a.vault, err = components.NewVault(ctx, "vault", &components.VaultArgs{
			Layer: signing, Config: cfg.Vault, CA: a.ca,
			Issuing: components.VaultIssuing(cfg.CertManager, cfg.Ingress.Domain, a.manager.BoundTokens),
		})
		if err != nil {
			return err
		}
		signing = signing.WithDependencies(a.manager.API, a.vault.Ready)
	}
	if cfg.CertManager.Issuer == config.IssuerVault {
		a.ca, err = components.NewVaultCA(ctx, "vault-ca", &components.VaultCAArgs{
			Layer: signing, Config: cfg.CertManager.Vault, Domain: cfg.Ingress.Domain,
			BoundTokens: a.manager.BoundTokens,
		})
	}
	if cfg.CertManager.Issuer == config.IssuerACME {
		a.ca, err = components.NewACMECA(ctx, "acme-ca", &components.ACMECAArgs{
			Layer: start.WithDependencies(a.manager.API), Config: cfg.CertManager.ACME,
		})
	}
	return err
}
