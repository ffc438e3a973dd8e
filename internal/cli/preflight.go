package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"strata/config"
	"strata/health"
	"strata/health/preflight"
	"strata/internal/artifacts"
	"strata/internal/kubeconfig"
	"strata/internal/remote"
)

// preflightTimeout bounds the whole look: what exists already answers at once, and everything is asked at the same time.
const preflightTimeout = 20 * time.Second

// preflightFlags are the flags of `strata preflight`.
type preflightFlags struct {
	stack, project, file string
	asJSON               bool
	timeout              time.Duration
}

// newPreflightCommand is `strata preflight`: all that can be known before the first change, as a table. It exits with 0 when
// every check passes, 1 when one does not and 2 when the configuration is wrong.
func newPreflightCommand() *cobra.Command {
	var flags preflightFlags
	command := &cobra.Command{
		Use:   "preflight",
		Short: "Look at every host, the hypervisor or the lent cluster before the first change and say what would go wrong",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.file == "" {
				flags.file = filepath.Join(flags.project, "Pulumi."+flags.stack+".yaml")
			}
			cfg, err := config.FromFile(flags.file)
			if err != nil {
				return &exitError{2, err}
			}
			if err := cfg.CheckFiles(flags.project); err != nil {
				return &exitError{2, err}
			}
			return runPreflight(cmd, cfg, flags)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.asJSON, "json", false, "print every finding as JSON")
	command.Flags().DurationVar(&flags.timeout, "timeout", preflightTimeout, "bound for the whole look")
	return command
}

func runPreflight(cmd *cobra.Command, cfg *config.Config, flags preflightFlags) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), flags.timeout)
	defer cancel()
	findings, err := findAll(ctx, cfg, flags.project)
	if err != nil {
		return &exitError{2, err}
	}
	if flags.asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(findings)
	} else {
		err = writeFindings(cmd.OutOrStdout(), findings)
	}
	if err != nil {
		return fmt.Errorf("preflight: %w", err)
	}
	for _, finding := range findings {
		if !finding.Passes() {
			return &exitError{1, nil}
		}
	}
	return nil
}

// findAll looks at what is there already: the hosts, the hypervisor that is to carry them, or the cluster.
func findAll(ctx context.Context, cfg *config.Config, project string) ([]preflight.Finding, error) {
	switch {
	case cfg.Lent():
		return preflightLent(ctx, cfg, project)
	case cfg.Hosts.Driver == config.DriverExisting:
		hosts, err := preflightHosts(cfg, project)
		if err != nil {
			return nil, err
		}
		// Without a state the names decide, as far as they can.
		owner, _ := ownerOf(ctx, project, cfg.Stack)
		for i := range hosts {
			hosts[i].Spec.Owner = owner.At(hosts[i].Host.Name)
		}
		return preflight.Hosts(ctx, hosts, poolAddresses(cfg)), nil
	case cfg.Hosts.Driver.MakesVMs():
		plan, err := vmPlan(ctx, cfg, project)
		if err != nil {
			return nil, err
		}
		owner, _ := ownerOf(ctx, project, cfg.Stack) // as above
		for i := range plan.Specs {
			plan.Specs[i].Cluster, plan.Specs[i].Project = owner.Cluster, owner.Project
		}
		return append([]preflight.Finding{madeByUp(cfg)}, preflight.VMs(ctx, plan)...), nil
	}
	return []preflight.Finding{madeByUp(cfg)}, nil
}

// preflightLent looks at the cluster that the stack is lent. Its pool is not asked for: only a host on the nodes' network hears who
// answers there.
func preflightLent(ctx context.Context, cfg *config.Config, project string) ([]preflight.Finding, error) {
	target, err := kubeconfig.ForStack(cfg, project)
	if err != nil {
		return nil, err
	}
	return preflight.Lent(ctx, preflight.LentCluster{
		Name: "context " + cfg.Cluster.Context, Server: target.Server, Kubeconfig: target.Text,
		MetalLB: *cfg.MetalLB.Enabled, Traefik: cfg.Ingress.Uses(config.ControllerTraefik),
	})
}

// madeByUp is the only finding on hosts that are not there yet.
func madeByUp(cfg *config.Config) preflight.Finding {
	return preflight.Finding{Subject: "all hosts", Verdict: health.Verdict{
		Check: "hosts", State: health.Skipped, Message: "driver " + string(cfg.Hosts.Driver) + " makes the hosts; up gates each one",
	}}
}

// preflightHosts are the hosts that exist already, with their keys.
func preflightHosts(cfg *config.Config, project string) ([]preflight.Host, error) {
	var problems []error
	var hosts []preflight.Host
	k3s := wantedK3s(cfg, project)
	for _, node := range cfg.Hosts.Nodes {
		key, err := readKeyFile(project, node.SSH.KeyFile)
		if err != nil {
			problems = append(problems, fmt.Errorf("node %s: strata:hosts.ssh.keyFile: %w", node.Name, err))
			continue
		}
		needs := health.HostNeeds(string(node.Role), cfg.K3s.UsesIPVS(), cfg.K3s.VIP.IsValid())
		needs.K3s, needs.CgroupV1 = k3s, cfg.K3s.AllowsCgroupV1(node.Role)
		if node.Role == config.RoleServer {
			needs.Fixed = cfg.K3s.Fixed()
		}
		hosts = append(hosts, preflight.Host{
			Host: health.Host{Role: string(node.Role), Target: remote.Target{
				Name: node.Name, Address: node.Address.String(), Port: node.SSH.Port, User: node.SSH.User, HostKey: node.SSH.HostKey,
			}},
			Spec: *needs,
			Key:  key,
		})
	}
	return hosts, errors.Join(problems...)
}

// wantedK3s is the version of K3s that an up would install; empty where the artifacts are not there yet, which up itself says.
func wantedK3s(cfg *config.Config, project string) string {
	if cfg.K3s.Version != "" {
		return cfg.K3s.Version
	}
	files, err := artifacts.Resolve(cfg, project)
	if err != nil {
		return ""
	}
	k3s, err := files.One(config.ArtifactK3s)
	if err != nil {
		return ""
	}
	return k3s.Version
}

// readKeyFile reads a private key, whose path is the configuration's.
func readKeyFile(project, path string) ([]byte, error) {
	file, err := config.ResolvePath(project, path)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// poolAddresses are MetalLB's addresses, one by one, as far as a preflight asks for them.
func poolAddresses(cfg *config.Config) []netip.Addr {
	const most = 256
	var addresses []netip.Addr
	for _, text := range cfg.MetalLB.Addresses {
		span, err := config.ParseRange(text)
		if err != nil {
			continue // Validate has refused it.
		}
		for at := span.First; span.Contains(at) && len(addresses) < most; at = at.Next() {
			addresses = append(addresses, at)
		}
	}
	return addresses
}
