package cli

import "github.com/spf13/cobra"

// ofStack gives a verb the flags that name a stack, which is required, and its project.
func ofStack(command *cobra.Command, stack, project *string) {
	command.Flags().StringVarP(stack, "stack", "s", "", "the stack's name")
	command.Flags().StringVar(project, "project", ".", "the project's folder")
	required(command, "stack")
}

// required makes a flag required.
func required(command *cobra.Command, flag string) {
	if err := command.MarkFlagRequired(flag); err != nil {
		panic(err) // there is no such flag: a slip in this package
	}
}
