package preflight

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"strata/actions/cluster/kubeconfig"
	"strata/actions/hosts/inventory"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/health/host"
)

// Stack observes the existing parts of a stack: its hosts, their hypervisor, or the cluster. It
// stops waiting for a part that sends nothing for limit. project is the stack's folder. It fails
// only if the state, or a file that the configuration names, cannot be read.
func Stack(
	ctx context.Context, cfg *config.Config, project string, limit time.Duration,
) ([]Finding, error) {
	switch {
	case cfg.OnExistingCluster():
		ctx, stop := context.WithTimeout(ctx, limit)
		defer stop()
		return clusterFindings(ctx, cfg, project)
	case cfg.Hosts.Driver == config.DriverExisting:
		return hostFindings(ctx, cfg, project, limit)
	}
	plan, err := vmPlan(ctx, cfg, project)
	if err != nil {
		return nil, err
	}
	return append([]Finding{madeByUp(cfg)}, VMs(ctx, plan, limit)...), nil
}

// clusterFindings observes the stack's existing cluster. It does not probe the pool, because only a
// host on the nodes' network can see which addresses answer.
func clusterFindings(ctx context.Context, cfg *config.Config, project string) ([]Finding, error) {
	target, err := kubeconfig.ForStack(cfg, project)
	if err != nil {
		return nil, err
	}
	return CheckExisting(ctx, ExistingCluster{
		Name: "context " + cfg.Cluster.Context, Server: target.Server, Kubeconfig: target.Text,
		MetalLB: *cfg.MetalLB.Enabled, Traefik: cfg.Ingress.Uses(config.ControllerTraefik),
	})
}

// hostFindings observes the existing hosts.
func hostFindings(
	ctx context.Context, cfg *config.Config, project string, limit time.Duration,
) ([]Finding, error) {
	known, err := inventory.Hosts(ctx, cfg, project)
	if err != nil {
		return nil, err
	}
	// Ignore an error: without a state, a host's owner file is compared only by names.
	owner, _ := inventory.OwnerOf(ctx, project, cfg.Stack)
	k3s := wantedK3s(cfg, project)
	var hosts []Host
	var findings []Finding
	for i, host := range known {
		for _, warning := range host.Warnings {
			findings = append(findings, Finding{host.Host.Name, fileWarning(warning)})
		}
		needs := hostNeeds(cfg, cfg.Hosts.Nodes[i].Role, k3s)
		needs.Owner = owner.WithNode(host.Host.Name)
		hosts = append(hosts, Host{
			Host: host.Host, Spec: needs, Key: host.Key,
			Ports: portsOf(cfg, cfg.Hosts.Nodes[i]), Subnet: cfg.Hosts.Subnet.Masked(),
		})
	}
	return append(findings, Hosts(ctx, hosts, poolAddresses(cfg), limit)...), nil
}

// fileWarning returns a passed check that carries a warning about a file of the login settings.
func fileWarning(warning string) health.Verdict {
	message, fix, _ := strings.Cut(warning, "; ")
	return health.Verdict{Check: "login", State: health.Ready, Message: message, Hint: fix}
}

// hostNeeds returns the requirements of a host of a role.
func hostNeeds(cfg *config.Config, role config.Role, k3s string) host.Spec {
	needs := host.Needs(string(role), cfg.K3s.UsesIPVS(), cfg.K3s.VIP.IsValid())
	needs.K3s, needs.CgroupV1 = k3s, cfg.K3s.AllowsCgroupV1(role)
	if role == config.RoleServer {
		needs.Fixed = cfg.K3s.CriticalValues()
	}
	return needs
}

// wantedK3s returns the version of K3s that an update would install. It is empty if the artifacts
// are missing, which the update reports itself.
func wantedK3s(cfg *config.Config, project string) string {
	if cfg.K3s.Version != "" {
		return cfg.K3s.Version
	}
	files, err := artifacts.Resolve(cfg, project)
	if err != nil {
		return ""
	}
	k3s, err := files.Get(config.ArtifactK3s)
	if err != nil {
		return ""
	}
	return k3s.Version
}

// madeByUp returns the finding for hosts that do not exist yet, because an update creates them.
func madeByUp(cfg *config.Config) Finding {
	return Finding{Subject: allHosts, Verdict: health.Verdict{
		Check: "hosts", State: health.Skipped,
		Message: "driver " + string(cfg.Hosts.Driver) + " makes the hosts; up gates each one",
	}}
}

// poolAddresses returns MetalLB's addresses, at most maxPoolProbes of them.
func poolAddresses(cfg *config.Config) []netip.Addr {
	var addresses []netip.Addr
	for _, text := range cfg.MetalLB.Addresses {
		span, err := config.ParseRange(text)
		if err != nil {
			continue // Validate has reported it.
		}
		for at := span.First; span.Contains(at) && len(addresses) < maxPoolProbes; at = at.Next() {
			addresses = append(addresses, at)
		}
	}
	return addresses
}
