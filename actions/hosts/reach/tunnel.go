package reach

import (
	"errors"
	"reflect"

	"strata/config"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// Tunnel returns the tunnel to the API servers and the load balancer's addresses, and the SSH keys
// for its jump hosts. Both are empty if no host has a tunnel. Its errors are those of Hosts.
func Tunnel(hosts config.Hosts, project string) (tunnel.Spec, []byte, error) {
	reached, err := Hosts(hosts, project)
	if err != nil {
		return tunnel.Spec{}, nil, err
	}
	for _, host := range reached {
		if way := tunnel.NewSpec(host.Target); way.There() {
			return way, host.Key, nil
		}
	}
	return tunnel.Spec{}, nil, nil
}

// forward sets the tunnel port of all hosts that use the same jump hosts as the first server. Other
// hosts get no tunnel, because the tunnel ends at that server's last jump host.
func forward(hosts config.Hosts, reached []Host) error {
	if hosts.SSH.DynamicForward == 0 {
		return nil
	}
	var way []remote.Hop
	for i, node := range hosts.Nodes {
		if node.Role == config.RoleServer {
			way = reached[i].Target.Jump
			break
		}
	}
	if len(way) == 0 {
		return errors.New(
			"strata:hosts.ssh.dynamicForward: is set, and the first server is reached without a " +
				"jump host; remove it, or set strata:hosts.ssh.jump or a ProxyJump in the file " +
				"of strata:hosts.ssh.config")
	}
	for i := range reached {
		if reflect.DeepEqual(reached[i].Target.Jump, way) {
			reached[i].Target.DynamicForward = hosts.SSH.DynamicForward
		}
	}
	return nil
}
