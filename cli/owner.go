package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"strata/actions/hosts/inventory"
	"strata/actions/hosts/ownership"
	"strata/config"
	"strata/internal/k3shost"
)

// ownerFlags are the flags of `strata owner`.
type ownerFlags struct {
	stack, project, file string
	take, clear          bool
}

// newOwnerCommand returns `strata owner` (docs/host-ownership.md).
func newOwnerCommand() *cobra.Command {
	var flags ownerFlags
	command := &cobra.Command{
		Use:   "owner NODE...",
		Short: "Show which cluster owns a host or machine, make it this stack's, or clear its mark",
		Long: "Without --take and --clear it changes nothing. Neither touches K3s: to take it off a host,\n" +
			"run `pulumi destroy`, or k3s-uninstall.sh there.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, nodes []string) error { return flags.run(cmd, nodes) },
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.take, "take", false,
		"mark them as this stack's in place of another's; a K3s on it must have this stack's token")
	command.Flags().BoolVar(&flags.clear, "clear", false,
		"remove the mark, whichever cluster it names")
	command.MarkFlagsMutuallyExclusive("take", "clear")
	return command
}

func (f ownerFlags) run(cmd *cobra.Command, nodes []string) error {
	cfg, err := f.configOf(nodes)
	if err != nil {
		return &exitError{2, err}
	}
	// Only --take needs the owner from the state, so the other flags also work without a state.
	owner, err := inventory.OwnerOf(cmd.Context(), f.project, f.stack)
	if err != nil && f.take {
		return fmt.Errorf("owner --take: %w", err)
	}
	marks := ownership.Marks{To: f.change(), Owner: owner, Stack: f.stack, Project: f.project,
		Out: cmd.OutOrStdout()}
	if cfg.Hosts.Driver != config.DriverExisting {
		return marks.OfMachines(cmd.Context(), cfg)
	}
	hosts, err := inventory.Hosts(cmd.Context(), cfg, f.project)
	if err != nil {
		return &exitError{2, err}
	}
	for _, host := range hosts {
		printWarnings(cmd, host.Warnings)
	}
	return marks.OfHosts(cmd.Context(), hosts)
}

// change returns the change of the host's owner that the flags request; Show by default.
func (f ownerFlags) change() k3shost.Change {
	switch {
	case f.take:
		return k3shost.Take
	case f.clear:
		return k3shost.Clear
	}
	return k3shost.Show
}

// configOf returns the stack's configuration, reduced to the given nodes.
func (f ownerFlags) configOf(nodes []string) (*config.Config, error) {
	file := stackFile(f.file, f.project, f.stack)
	cfg, err := config.OfStack(f.project, f.stack, file)
	if err != nil {
		return nil, err
	}
	if cfg.OnExistingCluster() {
		return nil, fmt.Errorf("stack %s: it runs on an existing cluster, so it owns no host",
			f.stack)
	}
	cfg.Hosts.Nodes, err = inventory.NodesOf(cfg, file, nodes)
	return cfg, err
}
