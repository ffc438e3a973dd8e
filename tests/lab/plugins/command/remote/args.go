package remote

import (
	"strata/tests/lab/plugins/command/output"
)

// CommandArgs are the inputs of command:remote:Command.
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
	// Connection is secret as a whole.
	Connection *Connection `pulumi:"connection" provider:"secret"`
	// Environment has variables for the command. The server must accept them (AcceptEnv), or the
	// command fails.
	Environment map[string]string `pulumi:"environment,optional"`
	// AddPreviousOutputInEnv passes the previous outputs to the command as variables. Default:
	// true. If the server rejects the variables, the plugin only logs a warning.
	AddPreviousOutputInEnv *bool `pulumi:"addPreviousOutputInEnv,optional"`
}

// Outputs has the output of a finished command.
type Outputs struct {
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// CommandState is the state that the engine stores for a command:remote:Command.
type CommandState struct {
	CommandArgs
	Outputs
}
