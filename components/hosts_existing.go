package components

import (
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/hosts/reach"
	"strata/actions/hosts/sshkey"
	"strata/health"
	"strata/internal/pulumi/self"
	ssh "strata/internal/ssh/remote"
)

// existingHosts registers hosts that exist already. Strata manages only the K3s that it installs on
// them.
func existingHosts(ctx *pulumi.Context, name string, args *HostsArgs, hosts *Hosts) error {
	reached, err := reach.Hosts(args.Config, ".") // the program runs in the project's folder
	if err != nil {
		return err
	}
	for i, node := range args.Config.Nodes {
		for _, warning := range reached[i].Warnings {
			if err := ctx.Log.Warn(warning, nil); err != nil {
				return err
			}
		}
		key := pulumi.ToSecret(pulumi.String(reached[i].Key)).(pulumi.StringOutput)
		contact := firstContact{at: reached[i].Target, key: key,
			sendsPassword: ssh.SendsPassword(reached[i].Key, reached[i].Target)}
		pin, err := pinHostKey(ctx, hosts, name+"-"+node.Name+"-hostkey", contact, args.Timeout)
		if err != nil {
			return fmt.Errorf("host key of %s: %w", node.Name, err)
		}
		hosts.All = append(hosts.All, &Host{Node: node, HostKey: pin, SSHKey: key,
			at: health.Host{Target: reached[i].Target, Role: string(node.Role)}, key: reached[i].Key})
	}
	return nil
}

// firstContact describes a host whose host key may be unknown, so that the first connection accepts
// and pins it (trust on first use).
type firstContact struct {
	at ssh.Target
	// key is the private key that logs in to the jump hosts.
	key pulumi.StringInput
	// sendsPassword is true if logins send a sudo password. Then the host key must be configured,
	// because a first contact would lead to the password being sent to an unverified host.
	sendsPassword bool
}

// pinHostKey returns a host's public key: the configured one, or else the key that the host
// presents on the first contact. The state keeps that key, so every later connection verifies it.
// limit bounds the first contact.
func pinHostKey(
	ctx *pulumi.Context, hosts *Hosts, name string, contacted firstContact, limit metav1.Duration,
) (pulumi.StringOutput, error) {
	at := contacted.at
	if at.HostKey != "" {
		return pulumi.String(at.HostKey).ToStringOutput(), nil
	}
	input := ssh.ScanInput{Address: at.DialAddress(), Port: at.Port, Timeout: limit,
		SendsPassword: contacted.sendsPassword, Revoked: at.Revoked}
	input.ProxyCommand = at.ProxyCommand
	environment := pulumi.StringMap{}
	if len(at.Jump) > 0 {
		input.Jump, input.Agent, environment[self.SSHKey] = at.Jump, at.Agent, contacted.key
	}
	command := actions.Command(sshkey.Scan, input, environment)
	// Only a new address, which may be another host, causes another first contact.
	command.Triggers = pulumi.Array{pulumi.String(at.DialAddress())}
	contact, err := local.NewCommand(ctx, name, command,
		append(childOf(hosts), customTimeouts(limit), once())...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	if len(at.Revoked) == 0 {
		return contact.Stdout, nil
	}
	return contact.Stdout.ApplyT(func(pin string) (string, error) {
		at.HostKey = pin // A key may be revoked after the first contact.
		return pin, ssh.CheckPin(at)
	}).(pulumi.StringOutput), nil
}
