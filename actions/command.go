package actions

import (
	"context"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions/verb"
	"strata/internal/pulumi/subcommand"
)

// Verb is a verb.Verb of any input.
type Verb interface {
	// Run reads the input of a call and runs the verb.
	Run(ctx context.Context, call verb.Call) error
}

// Find returns the verb of a command text; nil where no resource runs it.
func Find(text string) Verb {
	for _, row := range verbs {
		if row.text == text {
			return row.verb
		}
	}
	return nil
}

// Text returns the command of a resource that runs a verb. It panics on one that is not in the table.
func Text(v Verb) pulumi.String { return subcommand.Text(textOf(v)) }

// Command returns a resource's command that runs a verb with an input, which becomes the JSON on its
// stdin.
func Command[In any](v *verb.Verb[In], input In, environment pulumi.StringMap) *local.CommandArgs {
	return CommandOf(v, pulumix.Val(input), environment)
}

// CommandOf returns a resource's command whose input is known later.
func CommandOf[In any](v *verb.Verb[In], input pulumix.Input[In], environment pulumi.StringMap) *local.CommandArgs {
	if _, none := any(*new(In)).(verb.None); none {
		return subcommand.New(textOf(v), nil, environment)
	}
	return subcommand.New(textOf(v), input.ToOutput(context.Background()), environment)
}

// AtDelete returns a command that runs a verb when its resource is deleted, and at no other time.
func AtDelete[In any](v *verb.Verb[In], input In, environment pulumi.StringMap) *local.CommandArgs {
	command := Command(v, input, environment)
	command.Create, command.Delete = nil, command.Create
	return command
}

func textOf(v Verb) string {
	for _, row := range verbs {
		if row.verb == v {
			return row.text
		}
	}
	panic("actions: a verb is not in the table of verbs.go") // a slip in this program
}
