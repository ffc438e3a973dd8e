package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"strata/actions/hosts/hostrun"
	"strata/actions/hosts/inventory"
	"strata/actions/hosts/push"
	"strata/internal/k3shost"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// host is a host on which a stack has installed K3s.
type host struct {
	target remote.Target
	key    []byte
	// component is the name of the resource of K3s. The names of all resources of the host begin
	// with it.
	component string
	// cluster is the cluster's identity in the host's owner file.
	cluster string
	// pushed are the resources that copied K3s's binary and installer to the host, by the name of
	// the resource.
	pushed map[string]push.Input
}

// compareHosts compares all hosts of a state, which was read with its secrets, in parallel. A host
// without an answer is in unanswered, and has no differences.
func compareHosts(
	ctx context.Context, state *stackstate.State,
) (found []Difference, unanswered []error, err error) {
	ctx, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	hosts, err := hostsOf(state)
	if err != nil {
		return nil, nil, err
	}
	differences, failures := make([][]Difference, len(hosts)), make([]error, len(hosts))
	_ = k3shost.ForEach(hosts, func(i int, host host) error {
		differences[i], failures[i] = compareHost(ctx, host)
		return nil
	})
	for i, err := range failures {
		if err != nil {
			unanswered = append(unanswered, fmt.Errorf("%s: %w", hosts[i].target.Name, err))
		}
	}
	return slices.Concat(differences...), unanswered, nil
}

// hostsOf returns the hosts with an install of K3s in a state.
func hostsOf(state *stackstate.State) ([]host, error) {
	var hosts []host
	for _, command := range state.Commands("host-run") {
		var input hostrun.Input
		if err := readInput(command, &input); err != nil {
			return nil, err
		}
		component, isInstall := strings.CutSuffix(command.URN.Name(),
			"-"+input.Target.Name+"-install")
		if isInstall {
			hosts = append(hosts, host{target: input.Target, component: component,
				key:     []byte(command.Environment(self.SSHKey)),
				cluster: inventory.ClusterID(state), pushed: map[string]push.Input{}})
		}
	}
	return hosts, addPushed(hosts, state)
}

// addPushed adds the pushed files of a state to the hosts. The archives of images do not count,
// because they are too large to be read each time.
func addPushed(hosts []host, state *stackstate.State) error {
	for _, command := range state.Commands("push") {
		var input push.Input
		if err := readInput(command, &input); err != nil {
			return err
		}
		for _, host := range hosts {
			if host.target.Name == input.Target.Name &&
				path.Dir(input.Dest) == path.Dir(k3shost.Staged) {
				host.pushed[command.URN.Name()] = input
			}
		}
	}
	return nil
}

// readInput decodes the input of a command. The error does not quote the input, which is secret.
func readInput(command stackstate.Resource, input any) error {
	if err := json.Unmarshal([]byte(command.Input("stdin")), input); err != nil {
		return fmt.Errorf("state of %s: its input is not JSON", command.URN)
	}
	return nil
}
