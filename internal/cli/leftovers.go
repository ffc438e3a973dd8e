package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strata/config"
	"strata/internal/leftovers"
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
				known, err := leftovers.KnownBefore(state)
				return errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(known))
			}
			cfg, err := config.FromFile(stackFile(file, project, stack))
			switch {
			case err != nil:
				return fmt.Errorf("%w; --config-file names the stack's file", err)
			case cfg.Lent():
				return nil // no host of it is the stack's
			}
			known, err := leftovers.ReadBefore(cmd.InOrStdin())
			if err != nil {
				return err
			}
			return leftovers.Remove(cmd.Context(), cfg, project, known, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hosts (default Pulumi.STACK.yaml in the project)")
	command.Flags().BoolVar(&unfinished, "unfinished", false, "print the machines whose creation was interrupted")
	return command
}
