package scaffold

import (
	"bytes"
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

// ParseJump parses a jump host, [USER@]HOST[:PORT], for a stack file.
func ParseJump(text string) (config.JumpHost, error) {
	jump, err := reach.ParseJump(text)
	if err == nil && jump.User != "" && !config.IsLoginName(jump.User) {
		err = fmt.Errorf("%q is not a user name; %s", jump.User, config.LoginNameFix)
	}
	if err != nil {
		return jump, fmt.Errorf("--jump %s: %w", text, err)
	}
	return jump, nil
}

// notYet stands in for the pin of a host. If a pin is set, package reach does not read the host's
// key from known_hosts files.
const notYet = "not yet"

// flagNames are the names of login settings in error messages. They name flags of init, because no
// stack file exists yet.
var flagNames = config.SSHNames{
	Node: "--host %[2]s", Passphrase: "set its passphrase in " + reach.PassphraseVariable,
	Agent: "give --agent",
}

// reachAll determines the route and login to each host from the flags and the files that they name.
// It completes the login settings of the stack file.
func (r *Request) reachAll() error {
	if os.Getenv(reach.PassphraseVariable) != "" && r.sealedKey() {
		r.SSH.Passphrase = config.Sealed
	}
	if os.Getenv(reach.SudoPasswordVariable) != "" {
		r.SSH.SudoPassword = config.Sealed
	}
	if err := r.resolveAll(); err != nil {
		return err
	}
	var wrong []error
	for i := range r.Hosts {
		asked, target := &r.Hosts[i], r.ways[i].Target
		asked.User, asked.Port = target.User, target.Port
		if !config.IsLoginName(asked.User) {
			wrong = append(wrong,
				fmt.Errorf("--ssh-config: %s: %q is not a user name that a node can have; name another with --user",
					asked.Address, asked.User))
		}
	}
	if !slices.ContainsFunc(r.Hosts, func(asked Asked) bool {
		return asked.User != config.DefaultUser
	}) {
		r.SSH.SudoPassword = "" // root needs none, and package config refuses a password for root
	}
	r.pinJumps()
	return errors.Join(wrong...)
}

// resolveAll sets ways and known. It drops the user's own known_hosts file if the files of the
// ssh_config have the keys of all jump hosts.
func (r *Request) resolveAll() (err error) {
	if ssh := r.openSSH(); ssh.Config != "" && !r.Known.named {
		ssh.KnownHosts = ""
		if _, err := r.resolveWays(ssh); err == nil {
			r.SSH.KnownHosts = ""
		}
	}
	r.ways, err = r.resolveWays(r.openSSH())
	r.known = make([]KnownHosts, len(r.ways))
	for i := 0; err == nil && i < len(r.ways); i++ {
		r.known[i], err = r.knownHosts(r.ways[i])
	}
	return err
}

// Warnings returns the problems that Check found in files and that do not stop init.
func (r *Request) Warnings() []string {
	all := slices.Clone(r.Known.Warnings)
	for i, known := range r.known {
		all = append(append(all, known.Warnings...), r.ways[i].Warnings...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sealedKey reports whether a login needs the passphrase: without it, the login has no key or
// another one. It ignores an agent, which may hold the decrypted key.
func (r *Request) sealedKey() bool {
	ssh := r.SSH
	if ssh.Passphrase = ""; ssh.KeyFile != "" || ssh.Config != "" {
		ssh.Agent = false
	}
	sealed, err := r.resolveWays(ssh)
	if err != nil {
		return errors.Is(err, remote.ErrPassphrase)
	}
	// Without the passphrase, an encrypted key is left out if an ssh_config names another key.
	ssh.Passphrase = os.Getenv(reach.PassphraseVariable)
	open, err := r.resolveWays(ssh)
	return err == nil && !slices.EqualFunc(sealed, open, func(a, b reach.Host) bool {
		return bytes.Equal(a.Key, b.Key)
	})
}

// resolveWays returns the route and login to each host, with ssh as the settings of all hosts.
func (r *Request) resolveWays(ssh config.SSH) ([]reach.Host, error) {
	hosts := config.Hosts{Driver: config.DriverExisting, SSH: ssh}
	for _, asked := range r.Hosts {
		own := ssh
		own.User, own.Port, own.HostKey = asked.User, asked.Port, notYet
		// If the user named a DNS name, the address is not valid here; the name is resolved later.
		address, _ := netip.ParseAddr(asked.Address)
		hosts.Nodes = append(hosts.Nodes,
			config.Node{Name: asked.Address, Address: address, SSH: own})
	}
	return reach.HostsNamed(flagNames, hosts, r.Project)
}

// pinJumps writes the host keys of the configured jump hosts into the stack file. If an ssh_config
// adds further jump hosts, the stack file cannot hold their keys, so it keeps the path of the
// known_hosts file. Otherwise it drops that path.
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

// address returns the name or address to connect to. For an alias of an ssh_config, it returns the
// HostName that the alias sets.
func (r *Request) address(i int) string {
	named := r.Hosts[i].Address
	if _, err := netip.ParseAddr(named); err == nil {
		return named
	}
	return cmp.Or(r.ways[i].Target.HostName, named)
}

// target returns the login at a host's resolved address, by the route that Check determined. It has
// no pin.
func (r *Request) target(i int, address netip.Addr) remote.Target {
	target := r.ways[i].Target
	target.Address, target.HostKey = address.String(), ""
	if target.HostName == target.Address {
		target.HostName = ""
	}
	return target
}

// unlike returns a problem for each host that the stack file would reach by another route or login.
// The stack file names a host by node name and address. An ssh_config may have other settings for
// these than for the name on the command line.
func (r *Request) unlike(cfg *config.Config, nodes []Node) Problems {
	var problems Problems
	for i, node := range nodes {
		alone := cfg.Hosts
		alone.Nodes = cfg.Hosts.Nodes[i : i+1]
		ways, err := reach.Hosts(alone, r.Project)
		// init has just logged in to the host, so an error also shows that the stack file's route
		// differs.
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

// sameWay reports whether two logins are equal in everything except the name, which only appears in
// messages.
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

// unlock marks the passwords as encrypted (config.Sealed) in a configuration that was read from the
// proposal. So the preflight reads them from the environment, as init does.
func (r *Request) unlock(hosts *config.Hosts) {
	hosts.SSH.Passphrase, hosts.SSH.SudoPassword = r.SSH.Passphrase, r.SSH.SudoPassword
	for i := range hosts.Nodes {
		hosts.Nodes[i].SSH.Passphrase = r.SSH.Passphrase
		hosts.Nodes[i].SSH.SudoPassword = r.SSH.SudoPassword
	}
}
