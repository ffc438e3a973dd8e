package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"strata/actions/hosts/inventory"
	"strata/actions/hosts/ownership"
	"strata/config"
)

// hostFlags are the flags of `strata host`.
type hostFlags struct {
	stack, project, file string
	yes                  bool
}

// newHostCommand is `strata host`: whose a host or machine is, where that has to be decided by hand
// (docs/host-ownership.md).
func newHostCommand() *cobra.Command {
	command := &cobra.Command{Use: "host", Short: "Release hosts and machines from their stack, or adopt them"}
	command.AddCommand(
		hostSubcommand(ownership.Release, "Take the mark of ownership off hosts and machines, whosever it is; K3s on them stays", false),
		hostSubcommand(ownership.Adopt, "Mark hosts and machines as this stack's in place of another's; a K3s must have this stack's token", true),
	)
	return command
}

// hostSubcommand does something with the marks of the hosts whose nodes are its arguments. known
// says that the stack's state must know its cluster; a release needs no state.
func hostSubcommand(subcommand, short string, known bool) *cobra.Command {
	var flags hostFlags
	command := &cobra.Command{
		Use: subcommand + " NODE...", Short: short, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, nodes []string) error {
			cfg, err := namedNodes(flags, nodes)
			if err != nil {
				return &exitError{2, err}
			}
			owner, err := inventory.OwnerOf(cmd.Context(), flags.project, flags.stack)
			if err != nil && known {
				return fmt.Errorf("host %s: %w", subcommand, err)
			}
			marks := ownership.Marks{Action: subcommand, Yes: flags.yes, Owner: owner, Stack: flags.stack, Project: flags.project, Out: cmd.OutOrStdout()}
			if cfg.Hosts.Driver != config.DriverExisting {
				return marks.OfMachines(cmd.Context(), cfg)
			}
			hosts, err := inventory.Hosts(cmd.Context(), cfg, flags.project)
			if err != nil {
				return &exitError{2, err}
			}
			return marks.OfHosts(cmd.Context(), hosts)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.yes, "yes", false, "do it; without it, say only whose the hosts are")
	return command
}

// namedNodes is the configuration with these of its nodes only.
func namedNodes(flags hostFlags, nodes []string) (*config.Config, error) {
	file := stackFile(flags.file, flags.project, flags.stack)
	cfg, err := config.OfStack(flags.project, flags.stack, file)
	if err != nil {
		return nil, err
	}
	if cfg.OnExistingCluster() {
		return nil, fmt.Errorf("stack %s: it runs on an existing cluster, and none of its hosts is a stack's", flags.stack)
	}
	cfg.Hosts.Nodes, err = inventory.NodesOf(cfg, file, nodes)
	return cfg, err
}
