package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"strata/config"
	"strata/internal/nspawn"
	"strata/internal/stackstate"
)

// newLeftoversCommand is `strata leftovers`: after a destroy that succeeded, it removes what runs that broke off left of the stack's hosts,
// where that is half made, and fails naming what is whole: the state knows nothing of it, so nobody else would ever look.
func newLeftoversCommand() *cobra.Command {
	var stack, project, file string
	var unfinished bool
	command := &cobra.Command{
		Use:   "leftovers",
		Short: "After a destroy: remove the half-made machines and the bridge that broken-off runs left, and name what else is left",
		Long: "With --unfinished, prints as JSON the cluster's identity and the machines whose creation the state has as interrupted, and removes\n" +
			"nothing. Given that on stdin after the destroy, those are removed also where the creation has come to an end since, and machines of\n" +
			"another state of the same stack file are left alone.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if unfinished {
				state, err := stackstate.CommandLine(project).Read(cmd.Context(), stack)
				if err != nil {
					return err
				}
				known, err := knownBefore(state)
				return errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(known))
			}
			if file == "" {
				file = filepath.Join(project, "Pulumi."+stack+".yaml")
			}
			cfg, err := config.FromFile(file)
			if err != nil {
				return fmt.Errorf("%w; --config-file names the stack's file", err)
			}
			return removeLeftovers(cmd, cfg, project)
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hosts (default Pulumi.STACK.yaml in the project)")
	command.Flags().BoolVar(&unfinished, "unfinished", false, "print the machines whose creation was interrupted")
	return command
}

// before is what a state knew before its destroy.
type before struct {
	// Cluster is the identity of the stack's cluster; empty where there was none.
	Cluster string `json:"cluster,omitempty"`
	// Machines are those whose creation was interrupted.
	Machines []nspawn.Spec `json:"machines"`
}

func knownBefore(state *stackstate.State) (known before, err error) {
	known.Cluster = clusterIn(state)
	known.Machines, err = unfinishedMachines(state)
	return known, err
}

// unfinishedMachines are the machines of this host whose creation a state has as interrupted.
func unfinishedMachines(state *stackstate.State) ([]nspawn.Spec, error) {
	specs := []nspawn.Spec{}
	for _, pending := range state.Pending {
		if pending.Type != apitype.OperationTypeCreating || !pending.Resource.Runs("machine create") {
			continue
		}
		spec, err := nspawn.ReadSpec(strings.NewReader(pending.Resource.Input("stdin")))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w", pending.Resource.URN, err)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// removeLeftovers looks for what a stack without state still has.
func removeLeftovers(cmd *cobra.Command, cfg *config.Config, project string) error {
	if cfg.Lent() {
		return nil
	}
	known, err := givenBefore(cmd.InOrStdin())
	switch {
	case err != nil:
		return err
	case cfg.Hosts.Driver == config.DriverMachine:
		return leftMachines(cmd, cfg, known)
	case cfg.Hosts.Driver.MakesVMs():
		found, err := strays(cmd.Context(), cfg, project, nil, known.Cluster)
		if err != nil {
			return fmt.Errorf("virtual machines that the state does not know were not looked for: %w", err)
		}
		if err := showStrays(cmd.OutOrStdout(), cfg, found); err != nil || len(found) == 0 {
			return err
		}
		return fmt.Errorf("stack %s still has %d virtual machines or parts of them", cfg.Stack, len(found))
	}
	return nil
}

// leftMachines goes through the machines that the stack's file names, and those that an interrupted run was making.
func leftMachines(cmd *cobra.Command, cfg *config.Config, known before) error {
	specs := slices.Clone(known.Machines)
	var owner *nspawn.Owner
	if known.Cluster != "" {
		owner = &nspawn.Owner{Cluster: known.Cluster}
	}
	for _, node := range cfg.Hosts.Nodes {
		specs = append(specs, nspawn.Spec{
			Name: cfg.Stack + "-" + node.Name, Bridge: cfg.Hosts.Machine.Bridge, Subnet: cfg.Hosts.Subnet, Gateway: cfg.Hosts.Machine.Gateway,
			Owner: owner,
		})
	}
	var left []error
	for i, spec := range specs {
		whole, err := nspawn.Left(cmd.Context(), spec, i < len(known.Machines), machineLog(cmd))
		if err == nil && whole {
			err = fmt.Errorf("machine %s is whole and in no state: an up was killed, or it is another checkout's; to remove it: strata machine delete %s",
				spec.Name, spec.Name)
		}
		left = append(left, err)
	}
	return errors.Join(left...)
}

// givenBefore is what stdin says, which may be nothing.
func givenBefore(in io.Reader) (known before, err error) {
	text, err := io.ReadAll(in)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return before{}, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return before{}, fmt.Errorf("machines on stdin, as --unfinished prints them: %w", err)
	}
	return known, nil
}
