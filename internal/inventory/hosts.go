package inventory

import (
	"fmt"
	"os"
	"slices"

	"strata/config"
	"strata/health"
	"strata/internal/reach"
)

// Host is a host that exists, and what logs in to it (remote.Dialer).
type Host struct {
	Host health.Host
	Key  []byte
}

// Hosts are the hosts of driver existing, with their keys, in the order of strata:hosts.nodes. The error joins what is wrong with the way to
// each, such as a key file that cannot be read.
func Hosts(cfg *config.Config, project string) ([]Host, error) {
	reached, err := reach.Hosts(cfg.Hosts, project)
	if err != nil {
		return nil, err
	}
	hosts := make([]Host, len(reached))
	for i, node := range cfg.Hosts.Nodes {
		hosts[i] = Host{Key: reached[i].Key, Host: health.Host{Role: string(node.Role), Target: reached[i].Target}}
	}
	return hosts, nil
}

// NodesOf are the nodes of the given names that a stack's file has; a name that it does not have is an error.
func NodesOf(cfg *config.Config, file string, names []string) ([]config.Node, error) {
	var named []config.Node
	for _, name := range names {
		i := slices.IndexFunc(cfg.Hosts.Nodes, func(node config.Node) bool { return node.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no node is called %s in strata:hosts.nodes of %s", name, file)
		}
		named = append(named, cfg.Hosts.Nodes[i])
	}
	return named, nil
}

// readKeyFile reads a private key, whose path is the configuration's.
func readKeyFile(project, path string) ([]byte, error) {
	file, err := config.ResolvePath(project, path)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
