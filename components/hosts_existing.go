package components

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// existingHosts takes hosts that are already there. Strata owns nothing of them but what it installs.
func existingHosts(ctx *pulumi.Context, name string, args *HostsArgs, hosts *Hosts) error {
	for _, node := range args.Config.Nodes {
		key, err := readKey(node)
		if err != nil {
			return err
		}
		pin, err := pinHostKey(ctx, hosts, name, node, args)
		if err != nil {
			return fmt.Errorf("host key of %s: %w", node.Name, err)
		}
		hosts.All = append(hosts.All, &Host{
			Node:    node,
			HostKey: pin,
			SSHKey:  pulumi.ToSecret(pulumi.String(key)).(pulumi.StringOutput),
		})
	}
	return nil
}

// readKey reads the private key that logs in to a node.
func readKey(node config.Node) (string, error) {
	path := node.SSH.KeyFile
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("key file %s of %s: %w", path, node.Name, err)
		}
		path = filepath.Join(home, rest)
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("ssh key of %s: %w; set strata:hosts.ssh.keyFile to a private key that may log in", node.Name, err)
	}
	return string(key), nil
}

// pinHostKey is the node's host key: from the configuration, or from one bounded first contact whose answer stays in the
// state, so that every later connection checks it.
func pinHostKey(ctx *pulumi.Context, hosts *Hosts, name string, node config.Node, args *HostsArgs) (pulumi.StringOutput, error) {
	if node.SSH.HostKey != "" {
		return pulumi.String(node.SSH.HostKey).ToStringOutput(), nil
	}
	question, err := json.Marshal(map[string]any{
		"address": node.Address, "port": node.SSH.Port, "timeout": args.Timeout,
	})
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	// The address decides whose key it is; a changed timeout must not ask again.
	command := runs("hostkey", pulumi.String(question), nil)
	command.Triggers = pulumi.Array{pulumi.String(node.Address.String())}
	contact, err := local.NewCommand(ctx, name+"-"+node.Name+"-hostkey", command,
		append(childOf(hosts), bounded(args.Timeout), pulumi.IgnoreChanges([]string{"stdin"}))...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return contact.Stdout, nil
}
