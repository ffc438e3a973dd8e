package cli

import (
	"fmt"
	"os"
	"path"
	"time"

	"github.com/spf13/cobra"

	"strata/cli/support"
	"strata/internal/pulumi/stackstate"
)

// supportTimeout bounds each source of the archive. A host may have megabytes of journals on a slow
// disk.
const supportTimeout = 2 * time.Minute

// newSupportCommand returns `strata support`. It exits with 0 when the archive is written, even if
// parts are missing.
func newSupportCommand() *cobra.Command {
	request := support.Request{}
	var file, output string
	command := &cobra.Command{
		Use:   "support",
		Short: "Make one archive of what a person who helps asks for, without secrets, and change nothing",
		Long: "It holds versions, the configuration, the state's resources, what the gates say, " +
			"the units and journals of the hosts, the cluster's Nodes,\n" +
			"Pods and events, and recordings of runs. Secrets of the configuration and the state " +
			"are replaced wherever they appear.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "" {
				output = "strata-support-" + path.Base(request.Stack) + "-" +
					time.Now().UTC().Format("20060102T150405Z") + ".tar.gz"
			}
			if _, err := os.Lstat(output); err == nil {
				return &exitError{2, fmt.Errorf(
					"support: %s is there already, and is not overwritten; name another with --output", output)}
			}
			request.File = stackFile(file, request.Project, request.Stack)
			request.OwnFile = file != ""
			request.Pulumi = stackstate.CommandLine(request.Project)
			archive, err := request.Collect(cmd.Context())
			if err != nil {
				return fmt.Errorf("support: %w", err)
			}
			if err := archive.Write(output); err != nil {
				return fmt.Errorf("support: %w", err)
			}
			return archive.Summary(cmd.OutOrStdout(), output)
		},
	}
	ofStack(command, &request.Stack, &request.Project)
	ofFile(command, &file)
	command.Flags().StringVarP(&output, "output", "o", "",
		"the archive's file (default strata-support-STACK-TIME.tar.gz)")
	command.Flags().DurationVar(&request.Limit, "timeout", supportTimeout,
		"bound for each source; all are read at the same time")
	command.Flags().DurationVar(&request.GateTimeout, "gate-timeout", healthTimeout,
		"bound for each gate")
	return command
}
