package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"slices"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/internal/ssh/remote"
)

// ParseJump parses [USER@]HOST[:PORT] of a jump host, for a stack file.
func ParseJump(text string) (config.JumpHost, error) {
	jump, err := reach.ParseJump(text)
	if err == nil && jump.User != "" && !config.IsUserName(jump.User) {
		err = fmt.Errorf("%q is not a user name; use lower case letters, digits, dashes and underscores", jump.User)
	}
	if err != nil {
		return jump, fmt.Errorf("--jump %s: %w", text, err)
	}
	return jump, nil
}

// notYet replaces the pin of an unknown host, so that no known_hosts is read for it while the way
// to the host is found.
const notYet = "not yet"

// flagNames are the names of init's settings: no stack file exists yet.
var flagNames = config.SSHNames{
	Node: "--host %[2]s", Passphrase: "set its passphrase in " + reach.PassphraseVariable,
	Agent: "give --agent",
}

// reachAll finds the way to each host, from the command and its files, and completes the stack
// file's login settings.
func (r *Request) reachAll() error {
	if os.Getenv(reach.PassphraseVariable) != "" && r.sealedKey() {
		r.SSH.Passphrase = config.Sealed
	}
	if os.Getenv(reach.SudoPasswordVariable) != "" {
		r.SSH.SudoPassword = config.Sealed
	}
	ssh := r.SSH
	ssh.Passphrase = os.Getenv(reach.PassphraseVariable)
	ways, err := r.resolveWays(ssh)
	if err != nil {
		return err
	}
	r.ways = ways
	var wrong []error
	for i := range r.Hosts {
		asked, target := &r.Hosts[i], ways[i].Target
		asked.User, asked.Port = target.User, target.Port
		if !config.IsUserName(asked.User) {
			wrong = append(wrong,
				fmt.Errorf("--ssh-config: %s: %q is not a user name that a node can have; name another with --user",
					asked.Address, asked.User))
		}
	}
	if !slices.ContainsFunc(r.Hosts, func(asked Asked) bool {
		return asked.User != config.DefaultUser
	}) {
		r.SSH.SudoPassword = "" // root needs none, and a stack file that has one is refused
	}
	r.pinJumps()
	return errors.Join(wrong...)
}

// sealedKey reports whether a key has a passphrase, whether or not an agent has it open.
func (r *Request) sealedKey() bool {
	ssh := r.SSH
	if ssh.Passphrase = ""; ssh.KeyFile != "" || ssh.Config != "" {
		ssh.Agent = false
	}
	_, err := r.resolveWays(ssh)
	return errors.Is(err, remote.ErrPassphrase)
}

// resolveWays returns the ways to the hosts with their common settings.
func (r *Request) resolveWays(ssh config.SSH) ([]reach.Host, error) {
	hosts := config.Hosts{Driver: config.DriverExisting, SSH: ssh}
	for _, asked := range r.Hosts {
		own := ssh
		own.User, own.Port, own.HostKey = asked.User, asked.Port, notYet
		address, _ := netip.ParseAddr(asked.Address) // A name has none before it is resolved.
		hosts.Nodes = append(hosts.Nodes,
			config.Node{Name: asked.Address, Address: address, SSH: own})
	}
	return reach.HostsNamed(flagNames, hosts, r.Project)
}

// pinJumps writes the keys of the jump hosts into the stack file, so that it does not depend on a
// known_hosts file. The stack file has no key for jump hosts that only an ssh_config names: for
// them it names the known_hosts.
func (r *Request) pinJumps() {
	named, more := len(r.SSH.Jump), false
	r.SSH.Jump = slices.Clone(r.SSH.Jump)
	for _, way := range r.ways {
		hops := way.Target.Jump
		more = more || len(hops) > named
		for i := range r.SSH.Jump {
			r.SSH.Jump[i].HostKey = hops[len(hops)-named+i].HostKey
		}
	}
	if !more {
		r.SSH.KnownHosts = ""
	}
}

// address returns the name or address that leads to the node; an alias in an ssh_config becomes its
// HostName.
func (r *Request) address(i int) string {
	named := r.Hosts[i].Address
	if _, err := netip.ParseAddr(named); err == nil {
		return named
	}
	return cmp.Or(r.ways[i].Target.HostName, named)
}

// target returns a host at its resolved address, on the way that was found. It has no pin.
func (r *Request) target(i int, address netip.Addr) remote.Target {
	target := r.ways[i].Target
	target.Address, target.HostKey = address.String(), ""
	if target.HostName == target.Address {
		target.HostName = ""
	}
	return target
}

// unlike returns a problem for each host that the stack file would reach in another way. Its nodes
// have names and addresses for which the ssh_config may have other settings than for the names of
// the command.
func (r *Request) unlike(cfg *config.Config, nodes []Node) Problems {
	var problems Problems
	for i, node := range nodes {
		alone := cfg.Hosts
		alone.Nodes = cfg.Hosts.Nodes[i : i+1]
		ways, err := reach.Hosts(alone, r.Project)
		// The same login has just worked, so an error also means another way.
		if err != nil || !sameWay(ways[0], reach.Host{Target: node.target, Key: node.key}) {
			problems = append(problems,
				Problem{Host: node.Asked.String(),
					What: fmt.Sprintf(
						"--ssh-config %s leads to it by the name %s, and in another way by its "+
							"node's name %s and address %s, which are what the stack file has",
						r.SSH.Config, node.Asked.Address, node.Name, node.Address),
					Fix: fmt.Sprintf("add %s to the line Host of its block there", node.Address)})
		}
	}
	return problems
}

// sameWay compares everything but the name, which is only for messages.
func sameWay(a, b reach.Host) bool {
	ours, err := remote.Fingerprints(a.Key)
	theirs, wrong := remote.Fingerprints(b.Key)
	way := func(t remote.Target) []any {
		return []any{t.DialAddress(), t.Port, t.User, t.Agent, t.Jump,
			t.Means}
	}
	return err == nil && wrong == nil && reflect.DeepEqual(way(a.Target), way(b.Target)) &&
		slices.Equal(ours, theirs)
}

// unlock sets the passwords that no file has, from the environment, in a configuration that was
// read from the proposal.
func (r *Request) unlock(hosts *config.Hosts) {
	hosts.SSH.Passphrase, hosts.SSH.SudoPassword = r.SSH.Passphrase, r.SSH.SudoPassword
	for i := range hosts.Nodes {
		hosts.Nodes[i].SSH.Passphrase = r.SSH.Passphrase
		hosts.Nodes[i].SSH.SudoPassword = r.SSH.SudoPassword
	}
}
