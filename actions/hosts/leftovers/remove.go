package leftovers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"strata/config"
	"strata/internal/nspawn"
)

// Remove looks for what a stack without state still has, where its hosts are machines that Strata
// makes: it removes machines of this host that are half made, and is an error that names what is
// whole. Virtual machines are shown on out with what removes them, and stay.
func Remove(ctx context.Context, cfg *config.Config, project string, known Before, out, log io.Writer) error {
	switch {
	case cfg.Hosts.Driver == config.DriverMachine:
		return leftMachines(ctx, cfg, known, log)
	case cfg.Hosts.Driver.MakesVMs():
		found, err := orphans(ctx, cfg, project, nil, known.Cluster)
		if err != nil {
			return notLookedFor(err)
		}
		if err := showOrphans(out, cfg, found); err != nil || len(found) == 0 {
			return err
		}
		return fmt.Errorf("stack %s still has %d virtual machines or parts of them", cfg.Stack, len(found))
	}
	return nil
}

// leftMachines goes through the machines that the stack's file names, and those that an interrupted
// run was making.
func leftMachines(ctx context.Context, cfg *config.Config, known Before, log io.Writer) error {
	specs := slices.Clone(known.Machines)
	var owner *nspawn.Owner
	if known.Cluster != "" {
		owner = &nspawn.Owner{Cluster: known.Cluster}
	}
	for _, node := range cfg.Hosts.Nodes {
		specs = append(specs, nspawn.Spec{
			Name: cfg.Stack + "-" + node.Name, Bridge: cfg.Hosts.Machine.Bridge, Subnet: cfg.Hosts.Subnet, Gateway: cfg.Hosts.Machine.Gateway,
			Owner: owner,
		})
	}
	var left []error
	for i, spec := range specs {
		whole, err := nspawn.Left(ctx, spec, i < len(known.Machines), &nspawn.Log{W: log})
		if err == nil && whole {
			err = fmt.Errorf("machine %s is whole and in no state: an up was killed, or it is another checkout's; to remove it: strata machine delete %s",
				spec.Name, spec.Name)
		}
		left = append(left, err)
	}
	return errors.Join(left...)
}
