package components

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/hosts/hostrun"
	"strata/config"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/rerun"
)

// node registers the resources of one node, and returns the gate that passes once the node runs.
// before are the resources that must be ready before the install starts.
func (k *k3s) node(host *Host, before []pulumi.Resource) (*Gate, error) {
	name := k.name + "-" + host.Node.Name
	claim, err := k.claim(name, host)
	if err != nil {
		return nil, fmt.Errorf("claim: %w", err)
	}
	pushes, err := k.push(name, host, claim)
	if err != nil {
		return nil, fmt.Errorf("push: %w", err)
	}
	k.pushed = append(k.pushed, pushes...)
	released, err := k.releaseName(name, host, with(before, claim))
	if err != nil {
		return nil, fmt.Errorf("release of its name: %w", err)
	}
	config := k.config(host)
	install, err := k.installNode(name, host, config,
		append(with(before, pushes...), released, k.rotated))
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	return k.gateNode(name, host, config, install)
}

// claim registers the command that writes the owner file on a host before anything else changes it.
// The command fails on a host of another stack. Its delete uninstalls K3s, so the state never has
// an uninstall for such a host. It has no triggers: a replacement would run the old delete after
// the new create, and so uninstall the new K3s. The delete runs the script as recorded in the
// state, so that script is self-contained.
func (k *k3s) claim(name string, host *Host) (pulumi.Resource, error) {
	limit := k.args.Timeouts.Uninstall
	asked := pulumix.Apply(k.args.Hosts.Identity.owner, func(owner k3shost.Owner) hostrun.Input {
		variables := ownerVariables(owner, host.Node.Name)
		return hostrun.Input{Script: hostScript("k3s-claim.sh", variables...),
			Delete: hostScript("k3s-uninstall.sh", variables...), Timeout: limit}
	})
	command := host.runs(asked)
	command.Delete = actions.Text(hostrun.Delete)
	return local.NewCommand(k.ctx, name+"-claim", command,
		append(childOf(k, with(k.kept, host.Gate)...), host.deletedWith(), beforeChange(k.allow),
			customTimeouts(limit))...)
}

// config returns the node's config.yaml, followed by the other files (k3sFiles). The text is
// secret, but sumOf may be used on it, because it contains a token.
func (k *k3s) config(host *Host) pulumi.StringOutput {
	servers := make([]config.Node, 0, len(k.servers))
	for _, server := range k.servers {
		servers = append(servers, server.Node)
	}
	return pulumi.All(k.tokens.server(), k.tokens.agent).ApplyT(func(known []any) (string, error) {
		text, err := k3sConfig(k.args.Config, host.Node, servers, known[0].(string),
			known[1].(string))
		if err != nil {
			return "", err
		}
		others, err := k3sFiles(k.args.Config, settingsOf(host), k.args.Subnet)
		return text + others, err
	}).(pulumi.StringOutput)
}

// installNode registers the command that configures and starts K3s. It runs again when its script,
// the files or the binary change, and restarts K3s only if one of them differs on the host.
func (k *k3s) installNode(
	name string, host *Host, config pulumi.StringOutput, needs []pulumi.Resource,
) (pulumi.Resource, error) {
	binary, err := k.args.Artifacts.Get("k3s")
	if err != nil {
		return nil, err
	}
	limit := k.args.Timeouts.Install
	input := func(config, sum string, owner k3shost.Owner, caHash string) hostrun.Input {
		variables := append(ownerVariables(owner, host.Node.Name),
			variable{"ROLE", string(host.Node.Role)},
			variable{"PEERS", strings.Join(k.peers(host), " ")},
			variable{"BINARY_SHA256", binary.SHA256},
			variable{"CONFIG_SHA256", sum},
		)
		if host != k.servers[0] { // caHash is read from the first server only after its install
			variables = append(variables, variable{"CA_HASH", caHash})
		}
		return hostrun.Input{
			Stdin: config, Timeout: limit, Founds: k.founds(host),
			Script: hostScript("k3s-install.sh", variables...),
		}
	}
	asked := join.Four(config, sumOf(config), k.args.Hosts.Identity.owner, k.caHash, input)
	return newCommand(k.ctx, name+"-install", host.runs(asked),
		append(childOf(k, needs...), host.deletedWith(), customTimeouts(limit),
			rerun.ReplaceOnChange())...)
}

// peers returns the addresses of the servers through which the node may join: all except its own.
func (k *k3s) peers(host *Host) []string {
	var peers []string
	for _, server := range k.servers {
		if server != host {
			peers = append(peers, server.Node.Address.String())
		}
	}
	return peers
}
