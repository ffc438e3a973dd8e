// Package actions has the table of verbs that Pulumi resources run, and builds the resources'
// commands.
package actions

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions/cluster/canary"
	"strata/actions/cluster/crds"
	"strata/actions/cluster/gatewayclass"
	"strata/actions/cluster/kubeconfig"
	"strata/actions/cluster/kuberead"
	"strata/actions/cluster/reissue"
	"strata/actions/cluster/statefulset"
	"strata/actions/cluster/vault"
	"strata/actions/gate"
	"strata/actions/hosts/hostrun"
	"strata/actions/hosts/push"
	"strata/actions/hosts/sshkey"
	"strata/actions/k3s/credential"
	"strata/actions/k3s/members"
	"strata/actions/k3s/token"
	"strata/actions/k3s/upgrade"
	"strata/actions/machines/lifecycle"
	"strata/actions/machines/machineset"
	"strata/actions/stack/teardown"
	"strata/actions/verb"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/statelayout"
)

// verbs lists the commands of Strata's resources. The states of stacks contain their texts, and
// deletes run them, so a text must not change.
var verbs = []struct {
	text string
	verb Verb
}{
	{"gate", gate.Ask},
	{"gate --deleted", gate.AskAtDelete},

	{"keygen", sshkey.Generate},
	{"hostkey", sshkey.Scan},
	{"push", push.Send},
	{"host-run", hostrun.Create},
	{"host-run --delete", hostrun.Delete},

	{"machine-guard", machineset.Guard},
	{"vm image put", lifecycle.PutImage},
	{"vm image remove", lifecycle.RemoveImage},
	{"vm create", lifecycle.Create},
	{"vm create --existing", lifecycle.Update},
	{"vm delete", lifecycle.Delete},
	{"vm leaving", lifecycle.MarkForReplacement},
	{"vm leaving --back", lifecycle.Keep},
	{"vm leaving --begin", lifecycle.MarkForDeletion},

	{"admit", members.Admit},
	{"members", members.Update},
	{"rotate-token", token.Rotate},
	{"credential", credential.Provide},
	{"upgrade", upgrade.Upgrade},

	{"discard-guard --first", teardown.UpdateFirst},
	{"discard-guard", teardown.Update},
	{"teardown", teardown.Delete},

	{"cluster-identity", kubeconfig.Identify},
	{"nodes", kuberead.ListNodes},
	{"read", kuberead.ReadField},
	{"server-time", kuberead.ReadTime},
	{"crds apply", crds.Apply},
	{"crds remove", crds.Remove},
	{"class release", gatewayclass.Release},
	{"vault init", vault.Initialise},
	{"vault configure", vault.Prepare},
	{"unblock", statefulset.Unblock},
	{"reissue", reissue.Reissue},
	{"canary", canary.Try},
}

// execute is the prefix of each command. The path is relative, so that checkouts in different
// folders have the same command. exec lets a timeout kill the program, not only its shell
// (docs/adr/0002). A program with another state layout refuses the command (docs/adr/0079).
const execute = statelayout.Variable + "=" + statelayout.Version + " exec " + self.Path + " "

// Verb is a verb.Verb with any type of input.
type Verb interface {
	// Run decodes the input of a call and runs the verb.
	Run(ctx context.Context, call verb.Call) error
}

// Find returns the verb with a command text, or nil if there is none.
func Find(text string) Verb {
	for _, row := range verbs {
		if row.text == text {
			return row.verb
		}
	}
	return nil
}

// Text returns the command that runs a verb. It panics if the verb is not in the table.
func Text(v Verb) pulumi.String {
	for _, row := range verbs {
		if row.verb == v {
			return pulumi.String(execute + row.text)
		}
	}
	panic("actions: a verb is not in the table of verbs.go") // a bug in this program
}

// Command returns the arguments of a command resource that runs a verb with input as JSON on its
// stdin. The command does not get its previous output.
func Command[In any](v *verb.Verb[In], input In, environment pulumi.StringMap) *local.CommandArgs {
	return CommandOf(v, pulumix.Val(input), environment)
}

// CommandOf is like Command, for an input that is a Pulumi output.
func CommandOf[In any](
	v *verb.Verb[In], input pulumix.Input[In], environment pulumi.StringMap,
) *local.CommandArgs {
	command := &local.CommandArgs{
		Create: Text(v), Logging: local.LoggingStderr, AddPreviousOutputInEnv: pulumi.Bool(false),
	}
	if _, none := any(*new(In)).(verb.None); !none {
		command.Stdin = encodeInput(string(Text(v)), input.ToOutput(context.Background()))
	}
	if len(environment) > 0 {
		command.Environment = environment
	}
	return command
}

// AtDelete changes a command to run only when its resource is deleted.
func AtDelete(command *local.CommandArgs) *local.CommandArgs {
	command.Create, command.Delete = nil, command.Create
	return command
}

// encodeInput returns an input as JSON. A failure to encode is the resource's error.
func encodeInput(text string, input pulumi.Output) pulumi.StringPtrOutput {
	return input.ApplyT(func(value any) (*string, error) {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", text, err)
		}
		out := string(encoded)
		return &out, nil
	}).(pulumi.StringPtrOutput)
}
