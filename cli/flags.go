package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"strata/config"
)

// ofStack adds the flag --stack, which is required, and the flag --project to a subcommand.
func ofStack(command *cobra.Command, stack, project *string) {
	command.Flags().StringVarP(stack, "stack", "s", "", "the stack's name")
	command.Flags().StringVar(project, "project", ".", "the project's folder")
	requireFlag(command, "stack")
}

// ofFile adds the flag --config-file, the path of the stack's file, which may be outside the
// project's folder, to a subcommand.
func ofFile(command *cobra.Command, file *string) {
	command.Flags().StringVar(file, "config-file", "",
		"the stack's file (default Pulumi.STACK.yaml in the project)")
}

// stackFile returns the path of the stack's file: named, or the project's own if named is empty.
func stackFile(named, project, stack string) string {
	if named != "" {
		return named
	}
	return config.StackFile(project, stack)
}

func requireFlag(command *cobra.Command, flag string) {
	if err := command.MarkFlagRequired(flag); err != nil {
		panic(err) // a bug of this package: the flag does not exist
	}
}

// printWarnings prints warnings about the files that a command reads.
func printWarnings(cmd *cobra.Command, warnings []string) {
	for _, warning := range warnings {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "strata: "+warning)
	}
}
