package ownership

import (
	"context"
	"errors"
	"slices"

	"strata/actions/hosts/inventory"
	"strata/actions/machines/lifecycle"
	"strata/config"
	"strata/health/host"
	"strata/internal/hypervisor"
	"strata/internal/pulumi/stackstate"
)

// onMachine changes a machine's mark, and returns the previous owner. If the state has a login for
// the host in the machine, it also changes that host's own mark.
func (m Marks) onMachine(ctx context.Context, cfg *config.Config, node config.Node) (was string,
	err error) {
	was, err = m.onVM(ctx, cfg, node)
	if err != nil {
		return "", err
	}
	inside, known := m.hostInside(ctx, node.Name)
	if !known {
		return was, nil
	}
	if _, err := m.onHost(ctx, inside); err != nil {
		return was, errors.Join(errors.New(
			"the machine's own mark is done, that of the host in it is not"), err)
	}
	return was, nil
}

// onVM changes the mark of a virtual machine, and returns its previous owner.
func (m Marks) onVM(ctx context.Context, cfg *config.Config, node config.Node) (string, error) {
	key, err := inventory.HypervisorKey(cfg, m.Project)
	if err != nil {
		return "", err
	}
	spec, err := inventory.PinHypervisor(ctx, m.Project, inventory.VMSpec(cfg, node))
	if err != nil {
		return "", err
	}
	spec.Cluster, spec.Project = m.Owner.Cluster, m.Owner.Project
	was, err := lifecycle.ChangeOwner(ctx, spec, hypervisor.Secrets{HypervisorKey: key}, m.To)
	return was.Names(), err
}

// hostInside returns the SSH login of the host in a machine, from its gate in the state. known is
// false if the state has no such gate.
func (m Marks) hostInside(ctx context.Context, node string) (at inventory.Host, known bool) {
	state, err := stackstate.CommandLine(m.Project).Read(ctx, m.Stack)
	if err != nil {
		return at, false // Only Take needs a state.
	}
	gates, err := inventory.Gates(state)
	i := slices.IndexFunc(gates, func(g inventory.Gate) bool {
		return g.Spec.Kind() == host.Kind &&
			g.Spec.Hosts[0].Name == node
	})
	if err != nil || i < 0 {
		return at, false
	}
	return inventory.Host{Host: gates[i].Spec.Hosts[0], Key: gates[i].Secrets.SSHKey}, true
}
