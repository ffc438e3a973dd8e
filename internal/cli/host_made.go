package cli

import (
	"context"
	"errors"
	"slices"

	"strata/config"
	"strata/health"
	"strata/health/preflight"
	k3snode "strata/internal/k3s/node"
	"strata/internal/nspawn"
	"strata/internal/remote"
	"strata/internal/stackstate"
	"strata/internal/vm"
	"strata/internal/vm/lifecycle"
)

// madeByHand does with a machine's mark what hostVerb does with a host's, and returns whose the machine was. The host in it has a mark of its
// own, which goes the same way where the state knows how to log in.
func madeByHand(ctx context.Context, cfg *config.Config, flags hostFlags, verb string, node config.Node, owner k3snode.Owner) (string, error) {
	was, err := "", error(nil)
	if cfg.Hosts.Driver == config.DriverMachine {
		was, err = machineByHand(ctx, cfg.Stack+"-"+node.Name, flags.yes, verb, *owner.At(node.Name))
	} else {
		was, err = vmByHand(ctx, cfg, flags, verb, node, owner)
	}
	if err != nil {
		return "", err
	}
	inside, known := hostInside(ctx, flags, node.Name)
	if !known {
		return was, nil
	}
	if _, err := byHand(ctx, inside, k3snode.ByHand(verb, *owner.At(node.Name), flags.yes)); err != nil {
		return was, errors.Join(errors.New("the machine's own mark is done, that of the host in it is not"), err)
	}
	return was, nil
}

func machineByHand(ctx context.Context, name string, yes bool, verb string, owner k3snode.Owner) (string, error) {
	var next *nspawn.Owner
	if verb == "adopt" {
		next = nspawn.OwnerOf(owner)
	}
	was, err := nspawn.ByHand(ctx, name, next, yes)
	return was.String(), err
}

func vmByHand(ctx context.Context, cfg *config.Config, flags hostFlags, verb string, node config.Node, owner k3snode.Owner) (string, error) {
	spec := vm.SpecOf(cfg.Hosts, cfg.Stack, node)
	spec.Timeout, spec.Hypervisor.HostKey = cfg.Timeouts.Host, cfg.Hosts.Hypervisor.HostKey
	spec.Cluster, spec.Project = owner.Cluster, owner.Project
	key, err := hypervisorKey(cfg, flags.project)
	if err != nil {
		return "", err
	}
	if at := spec.Hypervisor; at.Address != "" && at.HostKey == "" {
		if spec.Hypervisor.HostKey, err = remote.Scan(ctx, at.Address, at.Port); err != nil { // as a preflight does
			return "", err
		}
	}
	was, err := lifecycle.ByHand(ctx, spec, vm.Secrets{HypervisorKey: key}, verb, flags.yes)
	return was.Names(), err
}

// hostInside is how a machine's host is reached, by its gate in the state; known is false where there is none.
func hostInside(ctx context.Context, flags hostFlags, node string) (host preflight.Host, known bool) {
	state, err := stackstate.CommandLine(flags.project).Read(ctx, flags.stack)
	if err != nil {
		return host, false // a release needs no state
	}
	gates, err := gatesIn(state)
	i := slices.IndexFunc(gates, func(g recordedGate) bool { return g.spec.Kind == health.KindHost && g.spec.Hosts[0].Name == node })
	if err != nil || i < 0 {
		return host, false
	}
	return preflight.Host{Host: gates[i].spec.Hosts[0], Key: gates[i].secrets.SSHKey}, true
}
