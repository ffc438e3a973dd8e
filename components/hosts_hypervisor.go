package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/machines"
	"strata/config"
	ssh "strata/internal/ssh/remote"
)

// hypervisorLogin holds the SSH login to the hypervisor.
type hypervisorLogin struct {
	// pin is the hypervisor's host key; empty if the hypervisor is this machine.
	pin pulumi.StringOutput
	// key is the private key that logs in, a secret; nil if the hypervisor is this machine.
	key pulumi.StringInput
}

// newHypervisor reads the hypervisor's private key and pins its host key. If the hypervisor is this
// machine, it returns an empty host key and no private key.
func newHypervisor(
	ctx *pulumi.Context, hosts *Hosts, name string, args *HostsArgs,
) (*hypervisorLogin, error) {
	at := args.Config.Hypervisor
	if at.Address == "" {
		return &hypervisorLogin{pin: pulumi.String("").ToStringOutput()}, nil
	}
	_, key, err := config.ReadKeyFile(".", at.KeyFile) // the program runs in the project's folder
	if err != nil {
		return nil, fmt.Errorf("ssh key of %s: %w; set its keyFile (strata:hosts.ssh, "+
			"strata:hosts.hypervisor) to a private key that may log in", machines.Hypervisor, err)
	}
	login := ssh.Target{Address: at.Address, Port: at.Port, User: at.User, HostKey: at.HostKey}
	pin, err := pinHostKey(ctx, hosts, name+"-"+machines.Hypervisor+"-hostkey",
		firstContact{at: login}, args.Timeout)
	if err != nil {
		return nil, fmt.Errorf("host key of the hypervisor: %w", err)
	}
	secret := pulumi.ToSecret(pulumi.String(key)).(pulumi.StringOutput)
	return &hypervisorLogin{pin: pin, key: secret}, nil
}
