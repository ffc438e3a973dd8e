package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/internal/vm"
)

// hypervisor is how the host of the virtual machines is reached.
type hypervisor struct {
	// pin is its host key; empty for this machine.
	pin pulumi.StringOutput
	// key logs in, a secret; nil for this machine.
	key pulumi.StringInput
}

// newHypervisor pins the hypervisor's host key as that of any host which is already there.
func newHypervisor(ctx *pulumi.Context, hosts *Hosts, name string, args *HostsArgs) (*hypervisor, error) {
	at := args.Config.Hypervisor
	if at.Address == "" {
		return &hypervisor{pin: pulumi.String("").ToStringOutput()}, nil
	}
	login := config.SSH{User: at.User, Port: at.Port, KeyFile: at.KeyFile, HostKey: at.HostKey}
	key, err := readKey(vm.HypervisorName, login.KeyFile)
	if err != nil {
		return nil, err
	}
	pin, err := pinHostKey(ctx, hosts, name+"-"+vm.HypervisorName+"-hostkey", at.Address, login, args.Timeout)
	if err != nil {
		return nil, fmt.Errorf("host key of the hypervisor: %w", err)
	}
	return &hypervisor{pin: pin, key: pulumi.ToSecret(pulumi.String(key)).(pulumi.StringOutput)}, nil
}
