package reach

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"strata/config"
	"strata/internal/ssh/remote"
)

// Environment variables with passwords for commands that a user runs, which cannot decrypt Pulumi's
// secrets. A variable for a single host has the host's name as a suffix, as in
// STRATA_SUDO_PASSWORD_SERVER_1.
const (
	PassphraseVariable   = "STRATA_SSH_PASSPHRASE"
	SudoPasswordVariable = "STRATA_SUDO_PASSWORD"
)

// Host is an existing host with its SSH login.
type Host struct {
	// Target is the SSH target. Its HostKey is empty if neither the configuration nor a known_hosts
	// file has one.
	Target remote.Target
	// Key holds the private keys in PEM for remote.Dialer. Secret.
	Key []byte
	// Warnings lists problems in the files that were read for this host.
	Warnings []string
	// KnownHosts and HostKeyAlias are UserKnownHostsFile and HostKeyAlias of the ssh_config; empty
	// if not set. The paths are as in the ssh_config, and a file may be missing.
	KnownHosts   []string
	HostKeyAlias string
}

// Hosts returns the hosts of the driver "existing", in the order of strata:hosts.nodes. Relative
// paths are relative to project. It joins the problems of all hosts.
func Hosts(hosts config.Hosts, project string) ([]Host, error) {
	return HostsNamed(config.StackNames, hosts, project)
}

// HostsNamed is like Hosts, but uses names for the settings in its errors.
func HostsNamed(names config.SSHNames, hosts config.Hosts, project string) ([]Host, error) {
	read := &reader{names: names, project: project, asked: map[string]keywords{},
		knownHosts: map[string]KnownHosts{}}
	var reached []Host
	var problems []error
	for i, node := range hosts.Nodes {
		host, err := read.host(hosts, node)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w",
				fmt.Sprintf(names.Node, i, node.Name), err))
		}
		reached = append(reached, host)
	}
	if len(problems) == 0 {
		problems = append(problems, forward(hosts, reached))
	}
	return reached, errors.Join(problems...)
}

// reader reads the files for one run. It caches the results of ssh and of known_hosts files.
type reader struct {
	names      config.SSHNames
	project    string
	asked      map[string]keywords
	knownHosts map[string]KnownHosts
	// warnings collects the warnings of the host that is being read.
	warnings []string
}

func (r *reader) host(hosts config.Hosts, node config.Node) (Host, error) {
	ssh, names := node.SSH, []string{node.Name}
	if node.Address.IsValid() { // strata init has none yet
		names = append(names, node.Address.String())
	}
	said, err := r.settingsOf(ssh.Config, login{ssh.User, ssh.Port, config.DefaultUser}, names...)
	if err != nil {
		return Host{}, err
	}
	target := remote.Target{
		Name: node.Name, Address: node.Address.String(), HostName: said.hostName,
		HostKey: ssh.HostKey,
		Port:    cmp.Or(said.port, config.DefaultPort), User: cmp.Or(said.user, config.DefaultUser),
	}
	if target.HostName == target.Address {
		target.HostName = ""
	}
	ssh.Agent = ssh.Agent || said.usesAgent()
	keys := &keyring{read: r, ssh: ssh, node: node.Name}
	keys.addOwn(&said)
	target.Agent, target.Means = ssh.Agent, keys.meansFor(said)
	if ssh.Jump == nil {
		ssh.Jump = said.jump
	} else {
		target.ProxyCommand = ""
	}
	jump, err := r.hops(ssh, target.User, ssh.Jump, keys, 0)
	target.Jump = jump
	if keys.ssh.Agent && !target.Agent { // Only a jump host uses the agent.
		target.Agent, target.AgentSocket = true, remote.NoAgent
	}
	problems := []error{err}
	if target.HostKey == "" {
		target.HostKey, target.Revoked, err = r.pin(ssh,
			sshd{target.DialAddress(), target.Port, node.Name}, said)
		problems = append(problems, err)
	}
	keys.addSudo(target.User, hosts.SSH.SudoPassword)
	keys.certify(&target)
	warnings := r.warnings
	r.warnings = nil
	return Host{target, keys.text, warnings, said.knownHosts, said.alias},
		errors.Join(append(problems, keys.problems...)...)
}

// hopLimit is the maximum depth of nested ProxyJumps. It detects cycles.
const hopLimit = 8

// hops returns the jump hosts of a connection, including those that the first jump host itself
// needs (ProxyJump in its ssh_config block). It adds the private keys for all of them to keys.
func (r *reader) hops(
	ssh config.SSH, user string, jumps []config.JumpHost, keys *keyring, depth int,
) ([]remote.Hop, error) {
	if depth > hopLimit {
		return nil, fmt.Errorf("%s: ProxyJump: more than %d hosts, one behind the other: do they name each other?",
			ssh.Config, hopLimit)
	}
	var hops []remote.Hop
	var problems []error
	for i, jump := range jumps {
		said, err := r.settingsOf(ssh.Config, login{jump.User, jump.Port, user}, jump.Host)
		if err != nil {
			return nil, err
		}
		if i == 0 && len(said.jump) > 0 {
			before, err := r.hops(ssh, user, said.jump, keys, depth+1)
			hops, problems = append(hops, before...), append(problems, err)
		}
		keys.ssh.Agent = keys.ssh.Agent || said.usesAgent()
		if jump.KeyFile != "" {
			said.identities = []string{jump.KeyFile}
			keys.add(jump.KeyFile)
		} else {
			keys.addFound(said.identities)
		}
		hop := remote.Hop{
			Address: cmp.Or(said.hostName, jump.Host), Port: cmp.Or(said.port, config.DefaultPort),
			User: cmp.Or(said.user, user), HostKey: jump.HostKey, Means: keys.meansFor(said),
		}
		if i > 0 { // The previous jump host reaches it.
			hop.ProxyCommand = ""
		}
		if hop.HostKey == "" {
			hop.HostKey, err = r.requirePin(ssh, hop, jump.Host, said)
			problems = append(problems, err)
		}
		hops = append(hops, hop)
	}
	return hops, errors.Join(problems...)
}

// requirePin returns the host key of a jump host. It fails if no host key is known, because Strata
// trusts no unknown key of a jump host.
func (r *reader) requirePin(
	ssh config.SSH, hop remote.Hop, name string, said settings,
) (string, error) {
	pin, _, err := r.pin(ssh, sshd{hop.Address, hop.Port, name}, said)
	if pin == "" && err == nil {
		err = fmt.Errorf("jump host %s has no pin: name a file that has its key in strata:hosts.ssh.knownHosts, "+
			"or write the jump hosts with a hostKey into strata:hosts.ssh.jump", name)
	}
	return pin, err
}

// open returns the content of a file that the configuration names. key is the setting's name for
// errors.
func (r *reader) open(key, path string) ([]byte, error) {
	file, err := config.ResolvePath(r.project, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return text, nil
}
