package inventory

import (
	"context"
	"fmt"

	"strata/actions/machines"
	"strata/config"
	"strata/internal/hypervisor"
	"strata/internal/ssh/remote"
)

// VMSpecs returns the Specs of all configured virtual machines.
func VMSpecs(cfg *config.Config) hypervisor.Specs {
	var specs hypervisor.Specs
	for _, node := range cfg.Hosts.Nodes {
		specs = append(specs, VMSpec(cfg, node))
	}
	return specs
}

// VMSpec returns the Spec of one node's virtual machine, without its image and keys.
func VMSpec(cfg *config.Config, node config.Node) hypervisor.Spec {
	spec := machines.SpecOf(cfg.Hosts, cfg.Stack, node)
	spec.Timeout, spec.Hypervisor.HostKey = cfg.Timeouts.Host, cfg.Hosts.Hypervisor.HostKey
	return spec
}

// HypervisorKey returns the SSH private key for the hypervisor in PEM; nil if the hypervisor is
// this machine.
func HypervisorKey(cfg *config.Config, project string) ([]byte, error) {
	if cfg.Hosts.Hypervisor.Address == "" {
		return nil, nil
	}
	_, key, err := config.ReadKeyFile(project, cfg.Hosts.Hypervisor.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("strata:hosts.hypervisor.keyFile: %w", err)
	}
	return key, nil
}

// PinFromState sets the hypervisor's host key to the one that an update has pinned in the state. It
// does not replace a configured key. If the stack does not exist, the key stays empty.
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
// state has it, it trusts the key that the hypervisor presents now, and does not store it.
func PinHypervisor(
	ctx context.Context, project string, spec hypervisor.Spec,
) (hypervisor.Spec, error) {
	err := PinFromState(ctx, project, spec.Stack, &spec.Hypervisor)
	if at := spec.Hypervisor; err == nil && at.Address != "" && at.HostKey == "" {
		spec.Hypervisor.HostKey, err = remote.Scan(ctx, at.Address, at.Port)
	}
	return spec, err
}
