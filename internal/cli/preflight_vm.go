package cli

import (
	"context"
	"fmt"

	"strata/config"
	"strata/health/preflight"
	"strata/internal/artifacts"
	"strata/internal/vm"
)

// vmPlan is what a preflight looks for on the hypervisor of drivers libvirt and proxmox.
func vmPlan(ctx context.Context, cfg *config.Config, project string) (preflight.VMPlan, error) {
	key, err := hypervisorKey(cfg, project)
	if err != nil {
		return preflight.VMPlan{}, err
	}
	return preflight.VMPlan{Specs: vmSpecs(cfg), Key: key, Image: vmImage(ctx, cfg, project)}, nil
}

// vmSpecs are the machines that the configuration asks for.
func vmSpecs(cfg *config.Config) vm.Specs {
	var specs vm.Specs
	for _, node := range cfg.Hosts.Nodes {
		spec := vm.SpecOf(cfg.Hosts, cfg.Stack, node)
		spec.Timeout, spec.Hypervisor.HostKey = cfg.Timeouts.Host, cfg.Hosts.Hypervisor.HostKey
		specs = append(specs, spec)
	}
	return specs
}

// hypervisorKey logs in to the hypervisor; nil for this machine.
func hypervisorKey(cfg *config.Config, project string) ([]byte, error) {
	if cfg.Hosts.Hypervisor.Address == "" {
		return nil, nil
	}
	key, err := readKeyFile(project, cfg.Hosts.Hypervisor.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("strata:hosts.hypervisor.keyFile: %w", err)
	}
	return key, nil
}

// vmImage is what the machines start from; nil with a template. One that upstream has is asked for, and not downloaded.
func vmImage(ctx context.Context, cfg *config.Config, project string) *preflight.VMImage {
	if !cfg.NeedsVMImage() {
		return nil
	}
	image := &preflight.VMImage{Key: "strata:artifacts.machineImage", Value: cfg.Artifacts.MachineImage}
	if cfg.Artifacts.MachineImage == config.SourceUpstream {
		image.Key, image.Value = "strata:hosts.vm.image", cfg.Hosts.VM.Image
	}
	file, err := artifacts.VMImage(cfg, project)
	if err != nil {
		image.Fault = err
		return image
	}
	path, err := file.AtHand(project)
	switch {
	case err != nil:
		image.Fault = err
	case path != "":
		image.GiB, image.Fault = vm.ImageGiB(path)
	default:
		image.Fault = file.Published(ctx)
	}
	return image
}
