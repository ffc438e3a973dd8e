package inventory

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"strata/config"
	"strata/health"
	"strata/internal/remote"
)

// Host is a host that exists, and the PEM private key that logs in to it.
type Host struct {
	Host health.Host
	Key  []byte
}

// Hosts are the hosts of driver existing, with their keys, in the order of strata:hosts.nodes. The error joins every key file that cannot be
// read.
func Hosts(cfg *config.Config, project string) ([]Host, error) {
	var problems []error
	var hosts []Host
	for _, node := range cfg.Hosts.Nodes {
		key, err := readKeyFile(project, node.SSH.KeyFile)
		if err != nil {
			problems = append(problems, fmt.Errorf("node %s: strata:hosts.ssh.keyFile: %w", node.Name, err))
			continue
		}
		hosts = append(hosts, Host{Key: key, Host: health.Host{Role: string(node.Role), Target: remote.Target{
			Name: node.Name, Address: node.Address.String(), Port: node.SSH.Port, User: node.SSH.User, HostKey: node.SSH.HostKey,
		}}})
	}
	return hosts, errors.Join(problems...)
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
