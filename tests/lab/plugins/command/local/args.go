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
	// Stdin is the command's standard input. If it is nil or empty, the command has none.
	Stdin *string `pulumi:"stdin,optional"`
	// Logging selects the streams that are logged while the command runs. Default: both.
	Logging *output.Logging `pulumi:"logging,optional"`
	// Environment is added to the plugin's own environment.
	Environment *map[string]string `pulumi:"environment,optional"`
	// AddPreviousOutputInEnv passes the previous outputs to the command as PULUMI_COMMAND_STDOUT
	// and PULUMI_COMMAND_STDERR. Default: true.
	AddPreviousOutputInEnv *bool `pulumi:"addPreviousOutputInEnv,optional"`
}

// Outputs has the output of a finished command.
type Outputs struct {
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// CommandState is the state that the engine stores for a command:local:Command.
type CommandState struct {
	CommandArgs
	Outputs
}
