package drift

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
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

// Hosts compares all hosts of a state, which was read with its secrets, in parallel. A host without
// an answer is in unanswered, and has no differences.
func Hosts(
	ctx context.Context, state *stackstate.State,
) (found []Difference, unanswered []error, err error) {
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
		if err := json.Unmarshal([]byte(command.Input("stdin")), &input); err != nil {
			// The parser's error could quote the input, which is secret.
			return nil, fmt.Errorf("state of %s: its input is not JSON", command.URN)
		}
		component, isInstall := strings.CutSuffix(command.URN.Name(),
			"-"+input.Target.Name+"-install")
		if isInstall {
			hosts = append(hosts, host{target: input.Target, component: component,
				key:     []byte(command.Environment(self.SSHKey)),
				cluster: inventory.ClusterID(state), pushed: map[string]push.Input{}})
		}
	}
	for _, command := range state.Commands("push") {
		var input push.Input
		if err := json.Unmarshal([]byte(command.Input("stdin")), &input); err != nil {
			return nil, fmt.Errorf("state of %s: its input is not JSON", command.URN)
		}
		for _, host := range hosts {
			// The archives of images are too large to be read each time.
			if host.target.Name == input.Target.Name && path.Dir(input.Dest) == path.Dir(k3shost.Staged) {
				host.pushed[command.URN.Name()] = input
			}
		}
	}
	return hosts, nil
}

// compareHost returns the differences of one host.
func compareHost(ctx context.Context, host host) ([]Difference, error) {
	output, err := k3shost.Run(ctx, host.target, host.key, HostScript(host.cluster,
		host.target.Name, host.pushedLines()))
	if err != nil || output == "" {
		return nil, err
	}
	var found []Difference
	for line := range strings.SplitSeq(output, "\n") {
		one, err := host.parseLine(line)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

//go:embed host.sh
var hostScript string

// HostScript returns the script that compares a host of a cluster with the records of its last
// installs. pushed has the lines of a record for the files that were pushed to the host.
func HostScript(cluster, node, pushed string) string {
	return "set -eu\nCLUSTER=" + remote.Quote(cluster) + " NODE=" + remote.Quote(node) +
		" pushed=" + remote.Quote(pushed) + "\n" + k3shost.RecordFunctions +
		k3shost.SysctlsFunction + hostScript
}

// pushedLines returns the pushed files as lines of a record. Their modes do not matter.
func (h host) pushedLines() string {
	var lines strings.Builder
	for _, input := range h.pushed {
		fmt.Fprintf(&lines, "%s - - %s\n", input.SHA256, input.Dest)
	}
	return lines.String()
}

// errLine reports a line that the script does not print. It does not quote the line.
var errLine = errors.New("expected lines of 5 fields from the comparison, found others")

// parseLine returns the difference in a line of the script's output.
func (h host) parseLine(line string) (Difference, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 5 || !slices.Contains([]Verdict{Changed, Missing, Extra}, Verdict(fields[1])) {
		return Difference{}, errLine
	}
	owner, word, thing := fields[0], fields[2], fields[4]
	return Difference{
		Resource: h.resource(owner, thing, word), Thing: thing + " on " + h.target.Name,
		Verdict: Verdict(fields[1]), Evidence: fields[3], Kept: h.reasonToKeep(thing, word),
	}, nil
}

// resource returns the name of the resource that puts a thing back. If K3s runs another binary, the
// upgrade replaces it, because it drains the node first.
func (h host) resource(owner, thing, word string) string {
	if owner == "push" {
		for name, input := range h.pushed {
			if input.Dest == thing {
				return name
			}
		}
	}
	if thing == k3shost.Program && word == "running" {
		return h.component + "-upgrade"
	}
	return h.component + "-" + h.target.Name + "-" + owner
}

// reasonToKeep returns the reason why an update does not put a thing back; empty if it does.
func (h host) reasonToKeep(thing, word string) string {
	switch word {
	case "extra":
		return fmt.Sprintf("Strata did not write it; on %s: rm %s, then systemctl daemon-reload and "+
			"restart the unit", h.target.Name, thing)
	case "owner":
		return "no update changes another owner's host: strata owner -s STACK " + h.target.Name
	case "package":
		return fmt.Sprintf("Strata installs no package; on %s: apt-get install keepalived, then run "+
			"pulumi up", h.target.Name)
	}
	return ""
}
