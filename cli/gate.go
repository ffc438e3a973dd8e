package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"strata/health"
	"strata/health/kinds"
)

// newGateCommand is `strata gate`, what every gate resource runs: a health.Spec on stdin, secrets
// in the environment, progress on stderr, the result as one JSON line on stdout. It exits with 0
// when the gate is open, 1 when it is stuck or late, and 2 when the spec is unusable.
func newGateCommand() *cobra.Command {
	var deleted bool
	command := &cobra.Command{
		Use:    "gate",
		Short:  "Wait until what the spec on stdin describes works (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if deleted && clusterGone() {
				return nil
			}
			text, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return fmt.Errorf("read spec: %w", err)
			}
			spec, err := kinds.Parse(text)
			if err != nil {
				return &exitError{2, err}
			}
			result, err := kinds.Run(cmd.Context(), spec, health.SecretsFrom(os.Getenv), cmd.ErrOrStderr())
			if err != nil {
				return &exitError{2, err}
			}
			result.Ended = time.Now().UTC()
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(result); err != nil {
				return fmt.Errorf("gate %s: result: %w", spec.Gate, err)
			}
			if !result.Passes() {
				return &exitError{1, nil} // The report is on stderr already.
			}
			return nil
		},
	}
	command.Flags().BoolVar(&deleted, "deleted", false, "run at a delete: pass where Pulumi is told that the cluster is gone")
	command.AddCommand(newGateWebhookCommand())
	return command
}
