package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"strata/actions/machines/lifecycle"
	"strata/internal/hypervisor"
	"strata/internal/nspawn"
	"strata/internal/pulumi/self"
)

// deletion marks all machines of a stack before the first is deleted, and unmarks them before they
// are taken up again.
type deletion[T any] struct {
	// mark marks all for deletion, keep takes that back, and replace has those that are marked
	// still made anew.
	mark, keep func(ctx context.Context, all T) error
	replace    func(ctx context.Context, all T) ([]string, error)
}

func machineLeaving() *cobra.Command {
	return leavingCommand("machine leaving", deletion[nspawn.Deletion]{nspawn.MarkForDeletion, nspawn.Keep, nspawn.MarkForReplacement})
}

func vmLeaving() *cobra.Command {
	secrets := func() hypervisor.Secrets {
		return hypervisor.Secrets{HypervisorKey: []byte(os.Getenv(self.HypervisorKey))}
	}
	return leavingCommand("vm leaving", deletion[hypervisor.Deletion]{
		mark: func(ctx context.Context, all hypervisor.Deletion) error {
			return lifecycle.MarkForDeletion(ctx, all, secrets())
		},
		keep: func(ctx context.Context, all hypervisor.Deletion) error { return lifecycle.Keep(ctx, all, secrets()) },
		replace: func(ctx context.Context, all hypervisor.Deletion) ([]string, error) {
			return lifecycle.MarkForReplacement(ctx, all, secrets())
		},
	})
}

// leavingCommand is `strata machine leaving` and `strata vm leaving`. They stand in states, so
// their flags stay as they are.
func leavingCommand[T any](subcommand string, do deletion[T]) *cobra.Command {
	var begin, back bool
	command := &cobra.Command{
		Use:    "leaving",
		Short:  "Have all machines made anew where a destroy broke off among them (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin(subcommand, func(ctx context.Context, cmd *cobra.Command, all T) error {
			switch {
			case begin:
				return do.mark(ctx, all)
			case back:
				return do.keep(ctx, all)
			}
			replaced, err := do.replace(ctx, all)
			if len(replaced) > 0 {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "a destroy broke off among the machines; made anew: %s\n", strings.Join(replaced, ", "))
			}
			return err
		}),
	}
	command.Flags().BoolVar(&begin, "begin", false, "say that all are about to be deleted")
	command.Flags().BoolVar(&back, "back", false, "take that back")
	return command
}
