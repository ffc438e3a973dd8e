package leftovers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"strata/actions/hosts/inventory"
	"strata/config"
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
	"strata/internal/pulumi/stackstate"
)

// hypervisorLimit bounds all requests to the hypervisor together.
const hypervisorLimit = 20 * time.Second

// madeVMs returns the Specs of the virtual machines in a state.
func madeVMs(state *stackstate.State) ([]hypervisor.Spec, error) {
	var specs []hypervisor.Spec
	for _, resource := range state.Resources { // includes those that a replacement has yet to delete
		if !resource.Runs("vm create") {
			continue
		}
		spec, err := hypervisor.ReadSpec([]byte(resource.Input("stdin")))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w", resource.URN, err)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// ShowOrphans prints the stack's virtual machines that its state does not contain. It prints
// nothing if the stack's driver creates no machines.
func ShowOrphans(
	ctx context.Context, out io.Writer, cfg *config.Config, project string, state *stackstate.State,
) error {
	if !cfg.Hosts.Driver.MakesVMs() {
		return nil
	}
	made, err := madeVMs(state)
	if err != nil {
		return err
	}
	found, err := orphans(ctx, cfg, project, made, knownBefore(state, made))
	if err != nil {
		return notLookedFor(err)
	}
	return showOrphans(out, cfg, found)
}

func notLookedFor(err error) error {
	return fmt.Errorf("virtual machines that the state does not know were not searched for: %w", err)
}

// orphans returns a stack's machines that its state does not contain. A killed update created them,
// so no destroy removes them. If before.Cluster is set, it leaves out machines of other clusters.
func orphans(
	ctx context.Context, cfg *config.Config, project string, made []hypervisor.Spec, before Before,
) ([]hypervisor.Owned, error) {
	ctx, cancel := context.WithTimeout(ctx, hypervisorLimit)
	defer cancel()
	spec := inventory.VMSpecs(cfg)[0]
	spec.Cluster = before.Cluster
	if before.Hypervisor == spec.Hypervisor.Address && spec.Hypervisor.HostKey == "" {
		spec.Hypervisor.HostKey = before.HostKey
	}
	key, err := inventory.HypervisorKey(cfg, project)
	if err != nil {
		return nil, err
	}
	if spec, err = inventory.PinHypervisor(ctx, project, spec); err != nil {
		return nil, err
	}
	host, err := hypervisor.Connect(ctx, spec.Hypervisor, key)
	if err != nil {
		return nil, err
	}
	owned, err := drivers.New(host, spec).ListOwned(ctx)
	known := func(one hypervisor.Owned) bool {
		return slices.ContainsFunc(made,
			func(spec hypervisor.Spec) bool { return spec.Node == one.Node })
	}
	return slices.DeleteFunc(owned, known), errors.Join(err, host.Close())
}

// formatCluster returns " (cluster ID)" if the machine's mark has a cluster; otherwise "".
func formatCluster(one hypervisor.Owned) string {
	if one.Cluster == "" {
		return ""
	}
	return " (cluster " + one.Cluster + ")"
}

// showOrphans prints each orphan, and how to adopt it with the next update or remove it by hand.
func showOrphans(out io.Writer, cfg *config.Config, orphans []hypervisor.Owned) error {
	where := "this machine"
	if at := cfg.Hosts.Hypervisor; at.Address != "" {
		where = "hypervisor " + at.Address
	}
	var text strings.Builder
	for _, one := range orphans {
		fmt.Fprintf(&text, "%s: %s is this stack's node %s%s, and the state does not know it: an "+
			"up was killed, or still runs\n", where, one.What, one.Node, formatCluster(one))
		switch configured := slices.ContainsFunc(cfg.Hosts.Nodes,
			func(node config.Node) bool { return node.Name == one.Node }); {
		case configured && one.Whole() && one.Cluster == "":
			fmt.Fprintf(&text, "  its mark was cleared by hand; to take it over: strata owner -s "+
				"%s %s --take, then pulumi up --stack %s\n",
				cfg.Stack, one.Node, cfg.Stack)
		case configured && one.Whole():
			fmt.Fprintf(&text, "  to take it over: pulumi up --stack %s\n", cfg.Stack)
		case configured:
			fmt.Fprintf(&text, "  it is half made; to have it made anew: pulumi up --stack %s\n",
				cfg.Stack)
		}
		fmt.Fprintf(&text, "  to remove it, on %s as root, while no up runs:\n", where)
		for _, command := range one.Remove {
			fmt.Fprintf(&text, "  %s\n", command)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}
