package remote

import (
	"net"
	"strconv"
)

// Target is a host that is reached over SSH.
type Target struct {
	// Name is the host's name in messages.
	Name string `json:"name"`
	// Address is an IP address or DNS name. For a node, it is the address that other nodes use.
	Address string `json:"address"`
	// Port is sshd's TCP port.
	Port int `json:"port"`
	// User logs in; any user but root uses sudo, with a password if the keys come with one
	// (SudoPassword).
	User string `json:"user"`
	// HostKey is the pinned public host key in authorized_keys form, or several of them, one per
	// line: any is accepted.
	HostKey string `json:"hostKey"`
	// HostName is the address of sshd, if that is not Address: an IP address or DNS name, as the
	// last jump host reaches it.
	HostName string `json:"hostName,omitempty"`
	// Jump lists the hosts that the connection goes through, from this machine on. Default: none.
	Jump []Hop `json:"jump,omitempty"`
	// Agent is true if the keys of the ssh-agent at SSH_AUTH_SOCK are also offered, at the host and
	// at its jump hosts. Default false.
	Agent bool `json:"agent,omitempty"`
	// DynamicForward is a port of this machine's loopback with a SOCKS proxy through the last jump
	// host (package tunnel). It leads to the host's API and the load balancer's addresses. Zero:
	// they are reached directly.
	DynamicForward int `json:"dynamicForward,omitempty"`
	Means
}

// Hop is a jump host: an sshd whose only use is to forward connections.
type Hop struct {
	// Address is an IP address or DNS name. The previous hop must be able to reach it.
	Address string `json:"address"`
	// Port is sshd's TCP port.
	Port int `json:"port"`
	// User logs in.
	User string `json:"user"`
	// HostKey is the pinned public host key, as in a Target.
	HostKey string `json:"hostKey"`
	Means
}

// Means are further means to log in besides private keys. All are optional.
type Means struct {
	// ProxyCommand is run by this machine's shell, and its standard input and output are the
	// connection. Only the first host of a connection can use it. Default: TCP.
	ProxyCommand string `json:"proxyCommand,omitempty"`
	// AgentSocket is the path of the ssh-agent's socket, or NoAgent. Default: SSH_AUTH_SOCK.
	AgentSocket string `json:"agentSocket,omitempty"`
	// Certificates are the paths of certificates for the keys, absolute or below ~/. They are read
	// at the login, so that a renewed one changes no state; a missing one is not offered.
	Certificates []string `json:"certificates,omitempty"`
	// Identities are the fingerprints of the agent's keys that are offered first, or with
	// IdentitiesOnly exclusively.
	Identities     []string `json:"identities,omitempty"`
	IdentitiesOnly bool     `json:"identitiesOnly,omitempty"`
}

// NoAgent is the AgentSocket of a host that gets no key of an agent.
const NoAgent = "none"

// asksAgent reports whether an agent's keys are offered.
func (t Target) asksAgent() bool { return t.Agent && t.AgentSocket != NoAgent }

// hops returns the jump hosts as targets of their own.
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

// String names the target in messages: its name, and its address unless the name has it.
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

// endpoint returns address:port, with an IPv6 address in brackets. A port of zero is 22.
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
