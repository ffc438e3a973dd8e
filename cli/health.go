package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"strata/cli/stackhealth"
)

// healthTimeout bounds each gate. The gate of a working component passes after one or two
// observations, each of which takes seconds under load.
const healthTimeout = 30 * time.Second

// healthFlags are the flags of `strata health`.
type healthFlags struct {
	stackhealth.Question
	asJSON bool
	// kubeconfig is the path of a read-only user's kubeconfig, and metrics the path of the metrics
	// file to write. every is the interval of the rounds; zero means one round.
	kubeconfig, metrics string
	every               time.Duration
}

// newHealthCommand returns `strata health`, which runs every gate of the configuration again, with
// the Spec from the state. It exits with 0 if every gate exists and is open, and with 1 if one is
// missing or closed. It exits with 2 if every gate in the state is open, but the configuration's
// gates could not be listed.
func newHealthCommand() *cobra.Command {
	flags := healthFlags{Question: stackhealth.Question{TimeoutKey: "--timeout"}}
	command := &cobra.Command{
		Use:   "health",
		Short: "Ask every gate of a stack again, now, and change nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.every > 0 {
				return askAgain(cmd, flags)
			}
			return askOnce(cmd, flags)
		},
	}
	ofStack(command, &flags.Stack, &flags.Project)
	ofFile(command, &flags.File)
	command.Flags().StringSliceVar(&flags.Only, "gate", nil,
		"ask only the gates of these names, and show their progress")
	command.Flags().BoolVar(&flags.All, "all", false,
		"show the reports of closed gates behind another closed gate, too")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "print every gate's result as JSON")
	command.Flags().DurationVar(&flags.Timeout, "timeout", healthTimeout, "bound for each gate")
	command.Flags().StringVar(&flags.kubeconfig, "kubeconfig", "",
		"ask with this file, such as output readerKubeconfig, and read no secret of the state; "+
			"what needs more is named and not asked")
	command.Flags().StringVar(&flags.metrics, "metrics", "",
		"write the verdicts as metrics to this file, whose name ends in .prom")
	command.Flags().DurationVar(&flags.every, "every", 0,
		"ask again this often until interrupted, for example 60s; without it, once")
	// A metrics file with only some gates would lack the series of the others.
	command.MarkFlagsMutuallyExclusive("metrics", "gate")
	return command
}

// askOnce runs the gates once, writes the results as metrics, and prints them.
func askOnce(cmd *cobra.Command, flags healthFlags) error {
	progress := io.Discard // the progress of parallel gates would be mixed
	if len(flags.Only) > 0 {
		progress = cmd.ErrOrStderr()
	}
	if flags.kubeconfig != "" { // read in each round, because its credentials expire
		text, err := os.ReadFile(flags.kubeconfig)
		if err == nil && len(text) == 0 {
			err = errors.New(flags.kubeconfig + " is empty")
		}
		if err != nil {
			return &exitError{2, fmt.Errorf("health: --kubeconfig: %w", err)}
		}
		flags.Reader = text
	}
	round, err := flags.Ask(cmd.Context(), progress)
	var unknown *stackhealth.UnknownGateError
	switch {
	case errors.As(err, &unknown):
		return &exitError{2, err}
	case err != nil:
		return err
	}
	if flags.metrics != "" {
		if err := round.WriteMetrics(cmd.Context(), flags.metrics); err != nil {
			return err
		}
	}
	return showRound(cmd.OutOrStdout(), round, flags)
}

// showRound prints the round and returns the exit code as an error. The code is 1 if a gate is not
// open, and 2 if a gate may be missing because the configuration's gates are unknown.
func showRound(out io.Writer, round stackhealth.Round, flags healthFlags) (err error) {
	if flags.asJSON {
		err = json.NewEncoder(out).Encode(round.Gates)
	} else {
		err = round.Write(out, len(flags.Only) == 0)
	}
	switch {
	case err != nil:
		return fmt.Errorf("health: %w", err)
	case !round.Open():
		return &exitError{1, round.Unknown()}
	case round.Unknown() != nil:
		return &exitError{2, round.Unknown()}
	}
	return nil
}

// askAgain runs the gates now and at every interval, until it is interrupted; an interrupt is no
// error. After a failed round, it prints the error and keeps the metrics file of the last
// successful round. The age of that file shows the failure.
func askAgain(cmd *cobra.Command, flags healthFlags) error {
	tick := time.NewTicker(flags.every)
	defer tick.Stop()
	for {
		if err := askOnce(cmd, flags); err != nil && err.Error() != "" &&
			cmd.Context().Err() == nil {
			// If the error cannot be printed, the next round still runs.
			_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "strata: "+err.Error())
		}
		select {
		case <-tick.C:
		case <-cmd.Context().Done():
			return nil
		}
	}
}
