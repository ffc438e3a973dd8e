package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"strata/internal/stackstate"
	"strata/internal/timeline"
)

// newRecordCommand is `strata record`: it runs a Pulumi command as typed and writes down what `strata timeline` reads. Its exit
// code is the command's.
func newRecordCommand() *cobra.Command {
	var stack, project, file string
	command := &cobra.Command{
		Use:   "record -s STACK -o FILE -- pulumi up ARGS",
		Short: "Run a Pulumi command and record when each of its steps began and ended",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return fmt.Errorf("record: %w", err)
			}
			out, err := os.Create(file)
			if err != nil {
				return fmt.Errorf("record: %w", err)
			}
			recorder := timeline.Recorder{Out: out, Now: time.Now, Graph: func(ctx context.Context) (map[string][]string, error) {
				state, err := stackstate.CommandLine(project).ReadEncrypted(ctx, stack)
				if err != nil {
					return nil, err
				}
				return state.Graph(), nil
			}}
			err = errors.Join(recorder.Run(cmd.Context(), args), out.Close())
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return &exitError{exit.ExitCode(), nil} // The command has said why.
			}
			return err
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVarP(&file, "output", "o", "", "the recording's file")
	required(command, "output")
	return command
}
