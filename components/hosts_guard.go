package components

import (
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/machines/machineset"
	"strata/config"
	"strata/internal/pulumi/join"
)

// guard registers a command that fails if a change of the machines would destroy the cluster
// (package machineset). Every machine waits for it. The command gets its previous output, to
// compare the wanted machines with the previous ones.
func (h *Hosts) guard(ctx *pulumi.Context, name string, args *HostsArgs) (pulumi.Resource, error) {
	wanted := machineset.Set{Timeout: args.Timeout}
	for _, node := range args.Config.Nodes {
		wanted.Machines = append(wanted.Machines, machineset.Machine{
			Name: node.Name, Role: string(node.Role), Address: node.Address.String(),
			Recreate: node.Recreate,
		})
	}
	command := actions.Command(machineset.Guard, wanted, nil)
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	return local.NewCommand(ctx, name+"-machine-guard", command,
		append(childOf(h), customTimeouts(args.Timeout))...)
}

// recreation holds the user's consents to recreate a node's machine (the node's key recreate).
type recreation struct {
	// word is the configured consent. If it is empty, the machine is not recreated.
	word string
	// used is the last consent that was not empty. It is kept in the state after the user removes
	// the consent from the configuration.
	used pulumi.StringOutput
}

// recreationOf registers a random ID whose keepers store the last consent, and returns the node's
// recreation. Without a configured consent, changes of the keepers are ignored.
func recreationOf(
	ctx *pulumi.Context, hosts *Hosts, name string, node config.Node,
) (recreation, error) {
	opts := childOf(hosts)
	if node.Recreate == "" {
		opts = append(opts, pulumi.IgnoreChanges([]string{"keepers"}))
	}
	memory, err := random.NewRandomId(ctx, name+"-recreated", &random.RandomIdArgs{
		ByteLength: pulumi.Int(1), Keepers: pulumi.StringMap{
			"recreate": pulumi.String(node.Recreate)},
	}, opts...)
	if err != nil {
		return recreation{}, err
	}
	used := memory.Keepers.ApplyT(func(keepers map[string]string) string {
		return keepers["recreate"]
	}).(pulumi.StringOutput)
	return recreation{word: node.Recreate, used: used}, nil
}

// replaces sets the triggers of the machine's command, and returns the command's option for these
// triggers. The machine is replaced only when word changes to a new consent. Without a consent,
// changes of the trigger are ignored. A new machine also gets a trigger, because Pulumi replaces
// nothing when an empty list of triggers changes.
func (r recreation) replaces(command *local.CommandArgs) pulumi.ResourceOption {
	if r.word == "" {
		command.Triggers = pulumi.Array{pulumi.String("no consent")}
		return pulumi.IgnoreChanges([]string{"triggers"})
	}
	command.Triggers = pulumi.Array{pulumi.String("recreate " + r.word)}
	return pulumi.Composite()
}

// pin returns a machine's host key, with a digest of the last consent as the key's comment. The
// comment changes when the machine is recreated, so everything that has the key as an input runs
// again: gates, pushes, the admission to the cluster and the install.
func (r recreation) pin(key pulumi.StringOutput) pulumi.StringOutput {
	return join.Two(key, r.used, func(key, word string) string {
		if word == "" {
			return key
		}
		return strings.TrimSpace(key) + " recreated-" + digestOf(word) + "\n"
	}).Untyped().(pulumi.StringOutput)
}
