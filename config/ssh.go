package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SSH configures the login at a host. A Node's own values override those of Hosts. Only driver
// existing reads more than User and Port: the other drivers make the hosts and their keys.
type SSH struct {
	// User is the name of the login; any other than root uses sudo. Default: the value in config,
	// or else root.
	User string `json:"user,omitempty"`
	// Port is sshd's TCP port. Default: the value in config, or else 22.
	Port int `json:"port,omitempty"`
	// KeyFile is the private key's path; a leading ~ is the home directory, a relative path is
	// relative to the project. A certificate beside it (-cert.pub) is offered with it. Default: the
	// value in config, or else ~/.ssh/id_ed25519; with agent, none. Only driver existing reads it:
	// the other drivers generate a key.
	KeyFile string `json:"keyFile,omitempty" plain:"true"`
	// HostKey pins the host's public key, in authorized_keys form. Default: the key in knownHosts,
	// or else the key that the host shows at the first connection. Only driver existing reads it:
	// the other drivers make the host's key before its first boot.
	HostKey string `json:"hostKey,omitempty" plain:"true"`
	// Jump are the jump hosts on the way to the host; this machine connects to the first one.
	// Without dynamicForward, only SSH goes through them. This machine must then reach the API
	// (port 6443) and the load balancer's addresses directly. Default: ProxyJump of config, or else
	// none.
	Jump []JumpHost `json:"jump,omitempty"`
	// DynamicForward is the local port of a SOCKS proxy through the last jump host, like
	// DynamicForward of ssh_config(5). Gates and Pulumi reach the API and the load balancer's
	// addresses through it, and the kubeconfig names it. Only hosts.ssh has it. Each stack needs
	// its own port, for example 1080. Default: none, connections are direct.
	DynamicForward int `json:"dynamicForward,omitempty"`
	// Agent offers the keys of the user's ssh-agent (SSH_AUTH_SOCK), after the key of keyFile.
	// Default: true if config names an IdentityAgent, or else false.
	Agent bool `json:"agent,omitempty"`
	// Passphrase opens the private keys. It must be encrypted: pulumi config set --secret --path
	// strata:hosts.ssh.passphrase. Default: none.
	Passphrase string `json:"passphrase,omitempty" secret:"true"`
	// SudoPassword is the user's password for sudo. It must be encrypted: pulumi config set
	// --secret --path strata:hosts.ssh.sudoPassword. Default: none, sudo asks for no password.
	SudoPassword string `json:"sudoPassword,omitempty" secret:"true"`
	// Config is the path of a file in the format of ssh_config(5), for example ~/.ssh/config.
	// OpenSSH's client must be installed: Strata runs `ssh -G` with a node's name, or else its
	// address. The keys of ssh override hostname, user, port, identityfile, certificatefile,
	// identitiesonly, identityagent, proxyjump, proxycommand, hostkeyalias and userknownhostsfile.
	// Strata reads no other settings. Other nodes still use the node's address. Default: none is
	// read.
	Config string `json:"config,omitempty" plain:"true"`
	// KnownHosts is the path of a file in ssh's format, for example ~/.ssh/known_hosts. It must
	// have the key of each host and jump host without hostKey. If it has several keys of one type,
	// each is accepted. Default: UserKnownHostsFile of config, or else none is read.
	KnownHosts string `json:"knownHosts,omitempty" plain:"true"`
}

// JumpHost is a host that passes connections on to other hosts.
type JumpHost struct {
	// Host is an IP address or DNS name, or a name in the file of ssh.config. Required.
	Host string `json:"host"`
	// Port is sshd's TCP port. Default: the value in ssh.config, or else 22.
	Port int `json:"port,omitempty"`
	// User is the name of the login. Default: the value in ssh.config, or else the user of the host
	// behind it.
	User string `json:"user,omitempty"`
	// KeyFile is the private key's path, as in ssh.keyFile. Default: the value in ssh.config, or
	// else the key of the host behind it.
	KeyFile string `json:"keyFile,omitempty" plain:"true"`
	// HostKey pins the jump host's public key, in authorized_keys form; there is no first contact.
	// Default: the key in ssh.knownHosts.
	HostKey string `json:"hostKey,omitempty" plain:"true"`
}

// deriveSSH gives every node its effective values. If an ssh_config file is read, unset values stay
// unset, because that file may set them.
func (h *Hosts) deriveSSH() {
	for i := range h.Nodes {
		own, all := &h.Nodes[i].SSH, h.SSH
		own.User, own.Port = cmp.Or(own.User, all.User), cmp.Or(own.Port, all.Port)
		own.KeyFile, own.HostKey = cmp.Or(own.KeyFile, all.KeyFile), cmp.Or(own.HostKey, all.HostKey)
		if own.Jump == nil { // an empty list is a host without any
			own.Jump = all.Jump
		}
		own.Agent = own.Agent || all.Agent
		own.Passphrase = cmp.Or(own.Passphrase, all.Passphrase)
		own.SudoPassword = cmp.Or(own.SudoPassword, all.SudoPassword)
		own.Config = cmp.Or(own.Config, all.Config)
		own.KnownHosts = cmp.Or(own.KnownHosts, all.KnownHosts)
		own.byDefault(h.Driver)
	}
	h.SSH.byDefault(h.Driver)
}

// byDefault sets the values that are not set and cannot come from an ssh_config file.
func (s *SSH) byDefault(driver Driver) {
	if s.Config != "" && driver == DriverExisting {
		return
	}
	s.User, s.Port = cmp.Or(s.User, DefaultUser), cmp.Or(s.Port, DefaultPort)
	if driver == DriverExisting && !s.Agent {
		s.KeyFile = cmp.Or(s.KeyFile, DefaultKeyFile)
	}
}

// These are the defaults of a login.
const (
	DefaultUser    = "root"
	DefaultPort    = 22
	DefaultKeyFile = "~/.ssh/id_ed25519"
)

// checkSSH checks the logins at all hosts.
func (c *Config) checkSSH(ps *problems) {
	all := c.Hosts.SSH
	isRoot := func(node Node) bool { return node.SSH.User == DefaultUser }
	for i, node := range c.Hosts.Nodes {
		key := field("hosts.nodes[%d].ssh", i)
		node.SSH.check(ps, key, c.Hosts.Driver, all)
		ps.addIf(node.SSH.SudoPassword != all.SudoPassword && isRoot(node), key+".sudoPassword", "",
			"is not used: root needs no sudo", "remove it, or set ssh.user")
	}
	all.check(ps, field("hosts.ssh"), c.Hosts.Driver, SSH{})
	ps.addIf(all.SudoPassword != "" && !slices.ContainsFunc(c.Hosts.Nodes,
		func(node Node) bool { return !isRoot(node) }), field("hosts.ssh.sudoPassword"), "",
		"is not used: root needs no sudo", "remove it, or set ssh.user")
	c.checkForward(ps)
}

// checkForward checks the settings of the tunnel, which all hosts share. It accepts a missing jump
// host if ssh.config is set, because that file may name one.
func (c *Config) checkForward(ps *problems) {
	key, port := field("hosts.ssh.dynamicForward"), c.Hosts.SSH.DynamicForward
	for i, node := range c.Hosts.Nodes {
		ps.addIf(node.SSH.DynamicForward != 0, field("hosts.nodes[%d].ssh.dynamicForward", i),
			strconv.Itoa(node.SSH.DynamicForward), "is one for all hosts", "set "+key)
	}
	switch {
	case port == 0 || c.Hosts.Driver != DriverExisting:
	case port < 1024 || port > 65535:
		ps.add(key, strconv.Itoa(port), "is a port of the system's or none", "use 1024 to 65535")
	case c.Hosts.SSH.Config == "" && !slices.ContainsFunc(c.Hosts.Nodes,
		func(node Node) bool { return len(node.SSH.Jump) > 0 }):
		ps.add(key, strconv.Itoa(port), "leads through a jump host, and there is none",
			"set ssh.jump, or remove it")
	}
}

// check reports mistakes in values that were set at a key. It skips values that are equal to those
// in above, because they were reported there.
func (s SSH) check(ps *problems, key string, driver Driver, above SSH) {
	named, fix := loginName, LoginNameFix
	if driver.MakesVMs() { // cloud-init makes the user
		named, fix = userName, "use lower case letters, digits, dashes and underscores"
	}
	later := s.Config != "" // the file may set what is not set here
	ps.addIf(s.Port != above.Port && (s.Port < 1 || s.Port > 65535) && (s.Port != 0 || !later),
		key+".port", strconv.Itoa(s.Port), "is not a TCP port", "use 1 to 65535")
	ps.addIf(s.User != above.User && !named.MatchString(s.User) && (s.User != "" || !later),
		key+".user", s.User, "is not a user name", fix)
	switch {
	case driver == DriverExisting:
		s.checkExisting(ps, key, above)
	case driver.MakesVMs():
		s.checkMade(ps, key, driver, above)
	}
}

// checkExisting reports mistakes in values that only driver existing reads.
func (s SSH) checkExisting(ps *problems, key string, above SSH) {
	if s.HostKey != "" && s.HostKey != above.HostKey {
		checkHostKey(ps, key+".hostKey", s.HostKey)
	}
	ps.addIf(s.SudoPassword != above.SudoPassword && strings.ContainsAny(s.SudoPassword, "\n\r"),
		key+".sudoPassword", "", "has more than one line, and sudo reads one",
		"set it again, without the line break")
	if slices.Equal(s.Jump, above.Jump) && s.KnownHosts == above.KnownHosts {
		return
	}
	for i, jump := range s.Jump {
		jump.check(ps, fmt.Sprintf("%s.jump[%d]", key, i), s)
	}
}

// checkMade refuses values that a driver does not read, because it makes the hosts and their keys.
func (s SSH) checkMade(ps *problems, key string, driver Driver, above SSH) {
	generates := "is not read: driver " + string(driver) + " generates "
	ps.addIf(s.KeyFile != above.KeyFile, key+".keyFile", s.KeyFile, generates+"its own key",
		"remove it")
	ps.addIf(s.HostKey != above.HostKey, key+".hostKey", "", generates+"the host keys", "remove it")
	for name, set := range map[string]bool{
		"jump": !slices.Equal(s.Jump, above.Jump), "agent": s.Agent && !above.Agent,
		"passphrase":     s.Passphrase != above.Passphrase,
		"sudoPassword":   s.SudoPassword != above.SudoPassword,
		"dynamicForward": s.DynamicForward != 0, "config": s.Config != above.Config,
		"knownHosts": s.KnownHosts != above.KnownHosts,
	} {
		ps.addIf(set, key+"."+name, "", "is only read by driver existing",
			"remove it: the hosts that driver "+string(driver)+" makes are reached without it")
	}
}

func (j JumpHost) check(ps *problems, key string, of SSH) {
	ps.addIf(j.Host == "" || strings.ContainsAny(j.Host, " \t/@,"), key+".host", j.Host,
		"is not an address or a name", "write host, and user and port as keys of their own")
	ps.addIf(j.Port < 0 || j.Port > 65535, key+".port", strconv.Itoa(j.Port), "is not a TCP port",
		"use 1 to 65535")
	ps.addIf(j.User != "" && !IsLoginName(j.User), key+".user", j.User, "is not a user name",
		LoginNameFix)
	switch {
	case j.HostKey != "":
		checkHostKey(ps, key+".hostKey", j.HostKey)
	case of.KnownHosts == "" && of.Config == "": // its UserKnownHostsFile may have the key
		ps.add(key+".hostKey", "", "is not set, and a jump host is trusted at no first contact",
			"copy one line of its /etc/ssh/ssh_host_ed25519_key.pub, or name a file that has it: ssh.knownHosts")
	}
}
