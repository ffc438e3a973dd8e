package local

import (
	"strata/tests/lab/plugins/command/output"
)

// CommandArgs are the inputs of command:local:Command.
type CommandArgs struct {
	// Triggers replace the resource whenever one of them changes.
	Triggers *[]any  `pulumi:"triggers,optional" provider:"replaceOnChanges"`
	Create   *string `pulumi:"create,optional"`
	Update   *string `pulumi:"update,optional"`
	Delete   *string `pulumi:"delete,optional"`
	// Stdin is the command's standard input; none if nil or empty.
	Stdin *string `pulumi:"stdin,optional"`
	// Logging selects the live log lines; both streams if nil.
	Logging *output.Logging `pulumi:"logging,optional"`
	// Environment is added to the plugin's environment.
	Environment *map[string]string `pulumi:"environment,optional"`
	// AddPreviousOutputInEnv passes the last outputs on as
	// PULUMI_COMMAND_STDOUT and PULUMI_COMMAND_STDERR; true if nil.
	AddPreviousOutputInEnv *bool `pulumi:"addPreviousOutputInEnv,optional"`
}

// Outputs hold the output of a finished command.
type Outputs struct {
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// CommandState is stored by the engine for a command:local:Command.
type CommandState struct {
	CommandArgs
	Outputs
}
