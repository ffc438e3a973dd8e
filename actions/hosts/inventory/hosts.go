package inventory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/health"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// Host is a configured host with the SSH private key for it (remote.Dialer).
type Host struct {
	Host health.Host
	Key  []byte
	// Warnings lists problems in the SSH files that were read for this host.
	Warnings []string
}

// Hosts returns the hosts of the driver "existing" in the order of strata:hosts.nodes. A host key
// comes from the stack file or its known_hosts, otherwise from the state, where an update has
// pinned it. The error joins the problems of all hosts, such as an unreadable key file. An
// unreadable state is an error only if a host key is missing.
func Hosts(ctx context.Context, cfg *config.Config, project string) ([]Host, error) {
	reached, err := reach.Hosts(cfg.Hosts, project)
	if err != nil {
		return nil, err
	}
	hosts, unpinned := make([]Host, len(reached)), false
	for i, node := range cfg.Hosts.Nodes {
		hosts[i] = Host{Key: reached[i].Key, Warnings: reached[i].Warnings,
			Host: health.Host{Role: string(node.Role), Target: reached[i].Target}}
		unpinned = unpinned || reached[i].Target.HostKey == ""
	}
	if !unpinned {
		return hosts, nil
	}
	state, err := readPins(ctx, project, cfg.Stack)
	if err != nil {
		return nil, err
	}
	for i := range hosts {
		pinFrom(state, &hosts[i].Host.Target)
	}
	return hosts, nil
}

// readPins returns the state in which updates have pinned host keys, with encrypted secrets. The
// state is empty if the stack does not exist. An unreadable state is an error, because without its
// pins any host key would be trusted.
func readPins(ctx context.Context, project, stack string) (*stackstate.State, error) {
	ctx, stop := context.WithTimeout(ctx, ownerLimit)
	defer stop()
	state, err := stackstate.CommandLine(project).ReadEncrypted(ctx, stack)
	switch {
	case errors.Is(err, stackstate.ErrNoStack):
		return &stackstate.State{}, nil
	case err != nil:
		return nil, fmt.Errorf(
			"host keys that an update has pinned: the state of stack %s cannot be read: %w; log in "+
				"to its backend (pulumi login), or set the keys: strata:hosts.ssh.knownHosts, and "+
				"strata:hosts.hypervisor.hostKey for a hypervisor", stack, err)
	}
	return state, nil
}

// pinFrom sets the target's host key from the state, if it is missing and an update has pinned one
// for the target's address.
func pinFrom(state *stackstate.State, target *remote.Target) {
	contact, ok := state.Lookup("hosts-" + target.Name + "-hostkey")
	triggers, _ := contact.Inputs["triggers"].([]any)
	if ok && target.HostKey == "" && len(triggers) == 1 && triggers[0] == target.DialAddress() {
		target.HostKey = strings.TrimSpace(contact.Output("stdout"))
	}
}

// NodesOf returns the nodes with these names in a stack's configuration. It fails for an unknown
// name; file is the stack file's name for the error.
func NodesOf(cfg *config.Config, file string, names []string) ([]config.Node, error) {
	var named []config.Node
	for _, name := range names {
		i := slices.IndexFunc(cfg.Hosts.Nodes,
			func(node config.Node) bool { return node.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no node is called %s in strata:hosts.nodes of %s", name, file)
		}
		named = append(named, cfg.Hosts.Nodes[i])
	}
	return named, nil
}
