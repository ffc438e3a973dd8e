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
	// Stdin is the command's standard input; none if nil or empty.
	Stdin *string `pulumi:"stdin,optional"`
	// Logging selects the live log lines; both streams if nil.
	Logging *output.Logging `pulumi:"logging,optional"`
	// Connection is secret as a whole.
	Connection *Connection `pulumi:"connection" provider:"secret"`
	// Environment needs AcceptEnv on the server, or the command fails.
	Environment map[string]string `pulumi:"environment,optional"`
	// AddPreviousOutputInEnv passes the last outputs on; true if nil. A server
	// that refuses the variables costs only a warning.
	AddPreviousOutputInEnv *bool `pulumi:"addPreviousOutputInEnv,optional"`
}

// Outputs hold the output of a finished command.
type Outputs struct {
	Stdout string `pulumi:"stdout"`
	Stderr string `pulumi:"stderr"`
}

// CommandState is stored by the engine for a command:remote:Command.
type CommandState struct {
	CommandArgs
	Outputs
}
