package components

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/config"
	ssh "strata/internal/remote"
	"strata/internal/subcommand"
)

// existingHosts takes hosts that are already there. Strata owns nothing of them but what it installs.
func existingHosts(ctx *pulumi.Context, name string, args *HostsArgs, hosts *Hosts) error {
	for _, node := range args.Config.Nodes {
		key, err := readKey(node.Name, node.SSH.KeyFile)
		if err != nil {
			return err
		}
		pin, err := pinHostKey(ctx, hosts, name+"-"+node.Name+"-hostkey", node.Address.String(), node.SSH, args.Timeout)
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

// readKey reads the private key that logs in to a host.
func readKey(host, path string) (string, error) {
	file, err := config.ResolvePath(".", path) // the program runs in the project's folder
	if err != nil {
		return "", fmt.Errorf("key file %s of %s: %w", path, host, err)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("ssh key of %s: %w; set its keyFile (strata:hosts.ssh, strata:hosts.hypervisor) to a private key that may log in", host, err)
	}
	return string(key), nil
}

// pinHostKey is a host's key: from the configuration, or from one bounded first contact whose answer stays in the state, so that
// every later connection checks it.
func pinHostKey(ctx *pulumi.Context, hosts *Hosts, name, address string, login config.SSH, limit metav1.Duration) (pulumi.StringOutput, error) {
	if login.HostKey != "" {
		return pulumi.String(login.HostKey).ToStringOutput(), nil
	}
	command := subcommand.New("hostkey", ssh.ScanInput{Address: address, Port: login.Port, Timeout: limit}, nil)
	// The address decides whose key it is; nothing else may ask again.
	command.Triggers = pulumi.Array{pulumi.String(address)}
	contact, err := local.NewCommand(ctx, name, command, append(childOf(hosts), bounded(limit), once())...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return contact.Stdout, nil
}
