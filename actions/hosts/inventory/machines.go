package inventory

import (
	"context"
	"fmt"

	"strata/actions/machines"
	"strata/config"
	"strata/internal/hypervisor"
	"strata/internal/ssh/remote"
)

// VMSpecs returns the virtual machines that the configuration asks for.
func VMSpecs(cfg *config.Config) hypervisor.Specs {
	var specs hypervisor.Specs
	for _, node := range cfg.Hosts.Nodes {
		specs = append(specs, VMSpec(cfg, node))
	}
	return specs
}

// VMSpec returns the virtual machine of one node, without its image and keys.
func VMSpec(cfg *config.Config, node config.Node) hypervisor.Spec {
	spec := machines.SpecOf(cfg.Hosts, cfg.Stack, node)
	spec.Timeout, spec.Hypervisor.HostKey = cfg.Timeouts.Host, cfg.Hosts.Hypervisor.HostKey
	return spec
}

// HypervisorKey returns the PEM private key that logs in to the hypervisor; nil if that is this
// machine.
func HypervisorKey(cfg *config.Config, project string) ([]byte, error) {
	if cfg.Hosts.Hypervisor.Address == "" {
		return nil, nil
	}
	key, err := readKeyFile(project, cfg.Hosts.Hypervisor.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("strata:hosts.hypervisor.keyFile: %w", err)
	}
	return key, nil
}

// PinFromState gives the hypervisor of a stack the host key that an update has pinned in the state.
// A configured key stays. Without a state the key stays empty.
func PinFromState(ctx context.Context, project, stack string, at *remote.Target) error {
	if at.Address == "" || at.HostKey != "" {
		return nil
	}
	state, err := readPins(ctx, project, stack)
	if err != nil {
		return err
	}
	pinFrom(state, at)
	return nil
}

// PinHypervisor returns spec with the hypervisor's host key. If neither the configuration nor the
// state has it, it makes the first contact, as a preflight does, and does not keep the key.
func PinHypervisor(
	ctx context.Context, project string, spec hypervisor.Spec,
) (hypervisor.Spec, error) {
	err := PinFromState(ctx, project, spec.Stack, &spec.Hypervisor)
	if at := spec.Hypervisor; err == nil && at.Address != "" && at.HostKey == "" {
		spec.Hypervisor.HostKey, err = remote.Scan(ctx, at.Address, at.Port)
	}
	return spec, err
}
