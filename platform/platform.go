// Package platform is the Pulumi program. It registers the layers and their dependencies, which are
// health checks called gates. Package components has the layers' resources.
package platform

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/tunnel"
)

// Program describes a Pulumi program, and functions that Run calls besides registering resources.
// The zero value is the platform without these functions.
type Program struct {
	// Layers registers the layers of a user's own program. Default: the platform's layers.
	Layers Layers
	// Configure enables, in the configuration, those of Strata's layers that Layers registers, so
	// that their charts are fetched. It may set other keys of these layers. Optional.
	Configure func(cfg *config.Config)
	// Orphans kills processes that an interrupted run of this project left behind. Otherwise these
	// processes would change hosts and the cluster during this run. Previews do not call it.
	// Optional.
	Orphans func(ctx context.Context) error
	// Connect returns the hook that runs before each change in a cluster that Strata built. If nil,
	// existing objects are not adopted.
	Connect components.Connect
	// Past reads which cluster the stack had before, to refuse an update that would create a second
	// one. If nil, such an update is not refused.
	Past components.ReadPast
	// State reads the stack's state, so that Run can refuse a state of another layout, and
	// artifacts of another kind than the last update had. If nil, neither is refused.
	State func(ctx context.Context, stack string) (*stackstate.State, error)
	// Drift finds changes on the hosts and in the cluster since the stack's last update. If nil,
	// nothing is put back.
	Drift func(ctx *pulumi.Context, stack string, cfg config.Drift) (*components.PutBack, error)
	// Tunnel opens an SSH tunnel to addresses that only a jump host reaches, until the program
	// exits. If nil, no tunnel is opened.
	Tunnel func(ctx *pulumi.Context, spec tunnel.Spec, key []byte) error
	// Verify runs the gates that no step of this run has run since began, and returns an error if
	// one fails. Optional.
	Verify func(ctx *pulumi.Context, began time.Time, gates []*components.Gate) error
	// Warn prints a warning. If nil, there are no warnings.
	Warn func(ctx *pulumi.Context, message string) error
}

// Start has the validated configuration and the artifacts of a run.
type Start struct {
	Config    *config.Config
	Artifacts *artifacts.Set
}

// Layer returns the arguments of a layer that waits only until the API answers and no drain follows
// (cluster.Stable).
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
// the layers. Then it calls Verify, unless the field is nil or the configuration disables it.
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
	manifests, err := components.ReadManifests(".", cfg)
	if err != nil {
		return nil, nil, err
	}
	if len(manifests) > 0 { // refuse an object of Strata's own before any change
		_, err = registrations(ctx.Context(), cfg, artifacts.NewPinnedSet(cfg), manifests)
	}
	return cfg, func(ctx *pulumi.Context, start Start) error {
		return p.layers(ctx, start, target, manifests)
	}, err
}

// layers registers the platform's layers and outputs. The order of the calls does not matter to
// Pulumi: each layer waits for the gates in its After.
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

// base has the cluster in which the layers are installed: one that is built on hosts, or an
// existing one.
type base struct {
	cluster *components.Cluster
	// reader is the kubeconfig of a read-only user; nil on an existing cluster.
	reader *pulumi.StringOutput
	// nodes is the table of the cluster's nodes: name, role, address.
	nodes pulumi.Input
}

// newBase registers the cluster: it builds one, or connects to an existing one. Layers are the same
// on both, except that gates cannot log in to the nodes of an existing cluster.
func newBase(
	ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, target pulumi.StringInput,
	p Program,
) (*base, error) {
	if cfg.OnExistingCluster() {
		existing, err := components.NewExistingCluster(ctx, "cluster",
			&components.ExistingClusterArgs{
				Kubeconfig: target, Timeouts: cfg.Timeouts, Artifacts: files,
			})
		if err != nil {
			return nil, err
		}
		existing.Cluster.NetworkPolicies = cfg.Cluster.NetworkPolicies
		return &base{cluster: existing.Cluster, nodes: existing.Nodes}, nil
	}
	k3s, err := files.Get(config.ArtifactK3s)
	if err != nil {
		return nil, err
	}
	hosts, err := components.NewHosts(ctx, "hosts", &components.HostsArgs{
		Cluster: "k3s", TokenGeneration: cfg.K3s.TokenGeneration, Fixed: cfg.K3s.CriticalValues(),
		Config: cfg.Hosts, Stack: cfg.Stack, IPVS: cfg.K3s.UsesIPVS(), K3s: k3s.Version,
		VIP:      cfg.K3s.VIP.IsValid(),
		CgroupV1: cfg.K3s.RolesOnCgroupV1(), Timeout: cfg.Timeouts.Host,
		InstallTimeout: cfg.Timeouts.Install, Artifacts: files,
	})
	if err != nil {
		return nil, err
	}
	// K3s needs no After: each node waits for the gate of its own host, which hosts contains.
	built, err := components.NewK3s(ctx, "k3s", &components.K3sArgs{
		Config: cfg.K3s, Subnet: cfg.Hosts.Subnet, Upgrade: cfg.Upgrade, Hosts: hosts,
		Artifacts: files, Timeouts: cfg.Timeouts,
		Connect: p.Connect, Past: p.Past,
	})
	if err != nil {
		return nil, err
	}
	built.Cluster.NetworkPolicies = *cfg.K3s.NetworkPolicies
	return &base{cluster: built.Cluster, reader: &built.ReaderKubeconfig,
		nodes: configuredNodes(cfg)}, nil
}
