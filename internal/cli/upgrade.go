package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"strata/health"
	"strata/internal/apiserver"
	"strata/internal/k3s/upgrade"
)

// newUpgradeCommand is `strata upgrade`: it reads the plan on stdin, upgrades the nodes that do not run its version yet, and prints
// the version.
func newUpgradeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "upgrade",
		Short:  "Take a changed K3s to the nodes, one after the other (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("upgrade", func(ctx context.Context, cmd *cobra.Command, plan upgrade.Plan) error {
			client, err := anyServer(plan.Servers)
			if err != nil {
				return &exitError{2, fmt.Errorf("upgrade: %w", err)}
			}
			log := cmd.ErrOrStderr()
			rollout := upgrade.Rollout{Plan: plan, Client: client, Log: log, Hosts: &upgrade.SSH{
				SHA256: plan.SHA256, Owner: plan.Owner, Secrets: health.SecretsFrom(os.Getenv), Return: plan.Return.Duration, Log: log,
			}}
			if err := rollout.Run(ctx); err != nil {
				return fmt.Errorf("layer k3s: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), plan.Version)
			return err
		}),
	}
}

// anyServer reaches the cluster of STRATA_KUBECONFIG through whichever of the servers, as https://address:port, answers.
func anyServer(servers []string) (kubernetes.Interface, error) {
	config, err := restConfig()
	if err != nil {
		return nil, err
	}
	var addresses []string
	for _, server := range servers {
		parsed, err := url.Parse(server)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", server, err)
		}
		addresses = append(addresses, parsed.Host)
	}
	return kubernetes.NewForConfig(apiserver.Failover(config, addresses))
}
