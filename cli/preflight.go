package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"strata/cli/preflight"
	"strata/config"
)

// preflightTimeout bounds how long a host or API may send nothing. Working hosts and APIs answer
// within seconds, even on a busy machine.
const preflightTimeout = 30 * time.Second

// silenceUsage describes --timeout of the commands that observe hosts.
const silenceUsage = "how long nothing may be heard before the hosts that are left are given up"

// preflightFlags are the flags of `strata preflight`.
type preflightFlags struct {
	stack, project, file string
	asJSON               bool
	timeout              time.Duration
}

// newPreflightCommand returns `strata preflight`, which runs the checks before the first change. It
// exits with 0 if every check passes, with 1 if one fails, and with 2 if the configuration is
// wrong.
func newPreflightCommand() *cobra.Command {
	var flags preflightFlags
	command := &cobra.Command{
		Use: "preflight",
		Short: "Observe every host, the hypervisor or the existing cluster before the first " +
			"change and say what would go wrong",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.OfStack(flags.project, flags.stack,
				stackFile(flags.file, flags.project, flags.stack))
			if err != nil {
				return &exitError{2, err}
			}
			if err := errors.Join(cfg.CheckFiles(flags.project),
				cfg.CheckEnvironment(os.Getenv)); err != nil {
				return &exitError{2, err}
			}
			return runPreflight(cmd, cfg, flags)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.asJSON, "json", false, "print every finding as JSON")
	command.Flags().DurationVar(&flags.timeout, "timeout", preflightTimeout, silenceUsage)
	return command
}

func runPreflight(cmd *cobra.Command, cfg *config.Config, flags preflightFlags) error {
	findings, err := preflight.Stack(cmd.Context(), cfg, flags.project, flags.timeout)
	if err != nil {
		return &exitError{2, err}
	}
	if flags.asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(findings)
	} else {
		err = preflight.Write(cmd.OutOrStdout(), findings)
	}
	if err != nil {
		return fmt.Errorf("preflight: %w", err)
	}
	for _, finding := range findings {
		if !finding.Passes() {
			return &exitError{1, nil}
		}
	}
	return nil
}
