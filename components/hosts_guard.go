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

// guard registers the guard that every machine waits for. It refuses changes that would destroy the
// cluster (package machineset). Like the command for the membership, it compares its input with its
// own previous output.
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

// recreation records the consent under which a node's machine was last recreated.
type recreation struct {
	// word is the configured consent; if it is empty, the machine stays as it is.
	word string
	// used is the last consent that was not empty. It stays even when the configuration no longer
	// has it.
	used pulumi.StringOutput
}

// recreationOf registers the resource that remembers the consent. Its keepers do not change while
// the configuration has no consent.
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

// replaces returns the option that makes a machine's command replace the machine when the consent
// is new, and for no other reason. first are the triggers of machines that were made before consent
// existed. They stay, because their removal would replace every such machine.
func (r recreation) replaces(command *local.CommandArgs, first string) pulumi.ResourceOption {
	if r.word == "" {
		command.Triggers = pulumi.Array{pulumi.String(first)}
		return pulumi.IgnoreChanges([]string{"triggers"})
	}
	command.Triggers = pulumi.Array{pulumi.String("recreate " + r.word)}
	return pulumi.Composite()
}

// pin returns a machine's host key with the consent as its comment. So every user of the host takes
// a recreated machine for another host: its gates, the pushes to it, its admission to the cluster
// and its install.
func (r recreation) pin(key pulumi.StringOutput) pulumi.StringOutput {
	return join.Two(key, r.used, func(key, word string) string {
		if word == "" {
			return key
		}
		return strings.TrimSpace(key) + " recreated-" + digestOf(word) + "\n"
	}).Untyped().(pulumi.StringOutput)
}
