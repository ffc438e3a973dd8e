// Package subcommand owns how resources run this program: the text of their commands, and that the
// input is JSON on stdin. What a subcommand reads belongs to the package that does its work, and
// the names of its variables to package self, which knows no Pulumi.
package subcommand

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/internal/pulumi/self"
)

// Exec is the command text that runs this program, up to the subcommand. The path is relative, so
// that checkouts at different places agree, and exec lets a timeout kill the program and not only
// its shell (docs/adr/0002).
const Exec = "exec " + self.Path + " "

// Text is the command text that runs a subcommand of this program, for example "crds apply".
func Text(subcommand string) pulumi.String { return pulumi.String(Exec + subcommand) }

// New is a resource's command that runs a subcommand. input is of the type that the subcommand
// reads, or an Output of it, and becomes the JSON on its stdin; nil for none. It asks for no
// previous output, because what ran before is no input of what runs now.
func New(subcommand string, input any, environment pulumi.StringMap) *local.CommandArgs {
	command := &local.CommandArgs{
		Create: Text(subcommand), Logging: local.LoggingStderr, AddPreviousOutputInEnv: pulumi.Bool(false),
	}
	if input != nil {
		command.Stdin = stdin(subcommand, input)
	}
	if len(environment) > 0 {
		command.Environment = environment
	}
	return command
}

// AtDelete is a command that runs a subcommand when its resource is deleted, and at no other time.
func AtDelete(subcommand string, input any, environment pulumi.StringMap) *local.CommandArgs {
	command := New(subcommand, input, environment)
	command.Create, command.Delete = nil, command.Create
	return command
}

// stdin is an input as JSON, once it is known.
func stdin(subcommand string, input any) pulumi.StringPtrInput {
	encode := func(value any) (*string, error) {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", subcommand, err)
		}
		out := string(text)
		return &out, nil
	}
	if later, ok := input.(pulumi.Output); ok {
		return later.ApplyT(encode).(pulumi.StringPtrOutput)
	}
	// An error of it is the resource's, too.
	now := pulumi.Bool(true).ToBoolOutput()
	return now.ApplyT(func(bool) (*string, error) { return encode(input) }).(pulumi.StringPtrOutput)
}
