package remote

import (
	"net"
	"strconv"
)

// Target is a host that is reached over SSH.
type Target struct {
	// Name identifies the host in messages.
	Name string `json:"name"`
	// Address is an IP address or DNS name. For a node, it is the address that other nodes use.
	Address string `json:"address"`
	// Port is sshd's TCP port.
	Port int `json:"port"`
	// User is the login user. Any user but root uses sudo, with a password if the keys contain one
	// (SudoPassword).
	User string `json:"user"`
	// HostKey is the pinned public host key in authorized_keys form. It may hold several keys, one
	// per line; the host must have one of them.
	HostKey string `json:"hostKey"`
	// Revoked lists the fingerprints of keys that the host must not have (Fingerprint). Inputs of
	// resources omit them, because each user's known_hosts may revoke other keys.
	Revoked []string `json:"-"`
	// HostName is the IP address or DNS name of sshd, if it differs from Address. The last jump
	// host must be able to reach it.
	HostName string `json:"hostName,omitempty"`
	// Jump lists the jump hosts, the one nearest to this machine first. Default: none.
	Jump []Hop `json:"jump,omitempty"`
	// Agent is true if the keys of the ssh-agent at SSH_AUTH_SOCK are also offered to the host and
	// its jump hosts. Default false.
	Agent bool `json:"agent,omitempty"`
	// DynamicForward is the local port of a SOCKS proxy through the last jump host (package
	// tunnel). The host's API and the load balancer's addresses are reached through it. Zero: they
	// are reached directly.
	DynamicForward int `json:"dynamicForward,omitempty"`
	Means
}

// Hop is a jump host: an sshd that only forwards connections.
type Hop struct {
	// Address is an IP address or DNS name. The previous hop must be able to reach it.
	Address string `json:"address"`
	// Port is sshd's TCP port.
	Port int `json:"port"`
	// User is the login user.
	User string `json:"user"`
	// HostKey is the pinned public host key, as in a Target.
	HostKey string `json:"hostKey"`
	Means
}

// Means are optional settings of a login, besides private keys.
type Means struct {
	// ProxyCommand is run by this machine's shell; its standard input and output are the
	// connection. Only the first host of a connection can have one. Default: a TCP connection.
	ProxyCommand string `json:"proxyCommand,omitempty"`
	// AgentSocket is the path of the ssh-agent's socket, or NoAgent. Default: SSH_AUTH_SOCK.
	AgentSocket string `json:"agentSocket,omitempty"`
	// Certificates are the paths of certificates for the keys, absolute or below ~/. They are read
	// at each login, so that a renewed certificate changes no state. Missing files are ignored.
	Certificates []string `json:"certificates,omitempty"`
	// Identities are the fingerprints of those keys of the agent that are offered before its other
	// keys. If IdentitiesOnly is true, no other key of the agent is offered.
	Identities     []string `json:"identities,omitempty"`
	IdentitiesOnly bool     `json:"identitiesOnly,omitempty"`
}

// NoAgent is the AgentSocket of a host that is offered no key of an agent.
const NoAgent = "none"

// asksAgent reports whether the agent's keys are offered.
func (t Target) asksAgent() bool { return t.Agent && t.AgentSocket != NoAgent }

// hops returns the jump hosts as targets.
func (t Target) hops() []Target {
	var hops []Target
	for _, hop := range t.Jump {
		hops = append(hops, Target{
			Address: hop.Address, Port: hop.Port, User: hop.User, HostKey: hop.HostKey,
			Agent: t.Agent,
			Means: hop.Means,
		})
	}
	return hops
}

// String returns the target for messages: its name and its address, or only the address if both are
// equal.
func (t Target) String() string {
	if t.Name == "" || t.Name == t.DialAddress() {
		return t.endpoint()
	}
	return t.Name + " (" + t.endpoint() + ")"
}

// DialAddress returns the address that SSH connects to.
func (t Target) DialAddress() string {
	if t.HostName != "" {
		return t.HostName
	}
	return t.Address
}

// endpoint returns ADDRESS:PORT, with an IPv6 address in brackets. The default port is 22.
func (t Target) endpoint() string {
	port := t.Port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(t.DialAddress(), strconv.Itoa(port))
}

// loginUser returns the login user; by default root.
func (t Target) loginUser() string {
	if t.User == "" {
		return "root"
	}
	return t.User
}
