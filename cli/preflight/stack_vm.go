package preflight

import (
	"context"

	"strata/actions/hosts/inventory"
	"strata/artifacts"
	"strata/config"
	"strata/internal/hypervisor"
)

// vmPlan returns the preflight's plan for drivers libvirt and proxmox.
func vmPlan(ctx context.Context, cfg *config.Config, project string) (VMPlan, error) {
	key, err := inventory.HypervisorKey(cfg, project)
	if err != nil {
		return VMPlan{}, err
	}
	specs := inventory.VMSpecs(cfg)
	if err := inventory.PinFromState(ctx, project, cfg.Stack, &specs[0].Hypervisor); err != nil {
		return VMPlan{}, err
	}
	// Ignore an error: without a state, ownership is compared only by names.
	owner, _ := inventory.OwnerOf(ctx, project, cfg.Stack)
	for i := range specs {
		specs[i].Cluster, specs[i].Project = owner.Cluster, owner.Project
	}
	return VMPlan{Specs: specs, Key: key, Image: vmImage(ctx, cfg, project)}, nil
}

// vmImage returns the image of the machines; nil if they are cloned from a template. For an
// upstream image it only checks that the image exists, and does not download it.
func vmImage(ctx context.Context, cfg *config.Config, project string) *VMImage {
	if !cfg.NeedsVMImage() {
		return nil
	}
	image := &VMImage{Key: "strata:artifacts.machineImage", Value: cfg.Artifacts.MachineImage}
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
		image.GiB, image.Fault = hypervisor.ImageGiB(path)
	default:
		image.Fault = file.CheckUpstream(ctx)
	}
	return image
}
