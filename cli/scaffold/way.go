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

// ParseJump reads [USER@]HOST[:PORT] of a jump host, for a stack file.
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

// notYet is in place of the pin of a host that was not seen: no known_hosts is asked for it while
// the way to the host is found.
const notYet = "not yet"

// reachAll finds the way to each host, from the command and the files that it names, and completes
// what the stack file says of it.
func (r *Request) reachAll() error {
	if os.Getenv(reach.PassphraseVariable) != "" && r.sealedKey() {
		r.SSH.Passphrase = config.Sealed
	}
	if os.Getenv(reach.SudoPasswordVariable) != "" {
		r.SSH.SudoPassword = config.Sealed
	}
	ways, err := r.reached(r.SSH)
	if err != nil {
		return err
	}
	r.ways = ways
	var wrong []error
	for i := range r.Hosts {
		asked, target := &r.Hosts[i], ways[i].Target
		asked.User, asked.Port = target.User, target.Port
		if !config.IsUserName(asked.User) {
			wrong = append(wrong, fmt.Errorf("--ssh-config: %s: %q is not a user name that a node can have; name another with --user", asked.Address, asked.User))
		}
	}
	if !slices.ContainsFunc(r.Hosts, func(asked Asked) bool { return asked.User != config.DefaultUser }) {
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
	_, err := r.reached(ssh)
	return errors.Is(err, remote.ErrPassphrase)
}

// reached are the ways to the hosts with what all of them have in common.
func (r *Request) reached(ssh config.SSH) ([]reach.Host, error) {
	hosts := config.Hosts{Driver: config.DriverExisting, SSH: ssh}
	for _, asked := range r.Hosts {
		own := ssh
		own.User, own.Port, own.HostKey = asked.User, asked.Port, notYet
		address, _ := netip.ParseAddr(asked.Address) // A name has none before it is resolved.
		hosts.Nodes = append(hosts.Nodes, config.Node{Name: asked.Address, Address: address, SSH: own})
	}
	ways, err := reach.Hosts(hosts, r.Project)
	return ways, inFlags(err)
}

// pinJumps writes the keys of the jump hosts into the stack file, so that it means the same where
// another known_hosts is. Those that only an ssh_config names are in no key of the stack file: for
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

// address returns the name or address that leads to the node; a name that stands for another in an
// ssh_config has that one's.
func (r *Request) address(i int) string {
	named := r.Hosts[i].Address
	if _, err := netip.ParseAddr(named); err == nil {
		return named
	}
	return cmp.Or(r.ways[i].Target.HostName, named)
}

// target is a host at the address that it has, on the way that was found. It has no pin.
func (r *Request) target(i int, address netip.Addr) remote.Target {
	target := r.ways[i].Target
	target.Address, target.HostKey = address.String(), ""
	if target.HostName == target.Address {
		target.HostName = ""
	}
	return target
}

// unlike are the hosts to which the stack file leads in another way than they were read: its nodes
// have names and addresses that the ssh_config may say other things about than about what the
// command called them.
func (r *Request) unlike(cfg *config.Config, nodes []Node) Problems {
	var problems Problems
	for i, node := range nodes {
		alone := cfg.Hosts
		alone.Nodes = cfg.Hosts.Nodes[i : i+1]
		ways, err := reach.Hosts(alone, r.Project)
		// What led to the host before leads to it again: an error is another way as well.
		if err != nil || !sameWay(ways[0], reach.Host{Target: node.target, Key: node.key}) {
			problems = append(problems, Problem{Host: node.Asked.String(), What: fmt.Sprintf("--ssh-config %s leads to it by the name %s, and in another way by its node's name %s and address %s, which are what the stack file has",
				r.SSH.Config, node.Asked.Address, node.Name, node.Address), Fix: fmt.Sprintf("add %s to the line Host of its block there", node.Address)})
		}
	}
	return problems
}

// sameWay compares all but the name, which is only for messages.
func sameWay(a, b reach.Host) bool {
	ours, err := remote.Fingerprints(a.Key)
	theirs, wrong := remote.Fingerprints(b.Key)
	way := func(t remote.Target) []any { return []any{t.Dialed(), t.Port, t.User, t.Agent, t.Jump, t.Means} }
	return err == nil && wrong == nil && reflect.DeepEqual(way(a.Target), way(b.Target)) && slices.Equal(ours, theirs)
}

// unlock gives a configuration that was read from the proposal the passwords that are in no file:
// those of the environment.
func (r *Request) unlock(hosts *config.Hosts) {
	hosts.SSH.Passphrase, hosts.SSH.SudoPassword = r.SSH.Passphrase, r.SSH.SudoPassword
	for i := range hosts.Nodes {
		hosts.Nodes[i].SSH.Passphrase, hosts.Nodes[i].SSH.SudoPassword = r.SSH.Passphrase, r.SSH.SudoPassword
	}
}
