package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"strata/internal/nspawn"
	"strata/internal/vm"
)

// machineLeaving is what a stack says of all its machines before it deletes the first, and asks before it takes them up.
func machineLeaving() *cobra.Command {
	var begin, back bool
	command := &cobra.Command{
		Use:    "leaving",
		Short:  "Have all machines made anew where a destroy broke off among them (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("machine leaving", func(ctx context.Context, cmd *cobra.Command, all nspawn.Departure) error {
			switch {
			case begin:
				return nspawn.Condemn(ctx, all)
			case back:
				return nspawn.Spare(ctx, all)
			}
			doomed, err := nspawn.Doom(ctx, all)
			return saidDoomed(cmd, doomed, err)
		}),
	}
	leavingFlags(command, &begin, &back)
	return command
}

// vmLeaving is machineLeaving for virtual machines.
func vmLeaving() *cobra.Command {
	var begin, back bool
	command := &cobra.Command{
		Use: "leaving", Short: "Have all machines made anew where a destroy broke off among them", Args: cobra.NoArgs,
		RunE: fromStdin("vm leaving", func(ctx context.Context, cmd *cobra.Command, all vm.Departure) error {
			secrets := vm.Secrets{HypervisorKey: []byte(os.Getenv("STRATA_HYPERVISOR_KEY"))}
			switch {
			case begin:
				return vm.Condemn(ctx, all, secrets)
			case back:
				return vm.Spare(ctx, all, secrets)
			}
			doomed, err := vm.Doom(ctx, all, secrets)
			return saidDoomed(cmd, doomed, err)
		}),
	}
	leavingFlags(command, &begin, &back)
	return command
}

// saidDoomed says which machines are made anew.
func saidDoomed(cmd *cobra.Command, doomed []string, err error) error {
	if len(doomed) > 0 {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "a destroy broke off among the machines; made anew: %s\n", strings.Join(doomed, ", "))
	}
	return err
}

// leavingFlags are what the three commands of one resource differ in.
func leavingFlags(command *cobra.Command, begin, back *bool) {
	command.Flags().BoolVar(begin, "begin", false, "say that all are about to be deleted")
	command.Flags().BoolVar(back, "back", false, "take that back")
}
