package remote

import (
	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	defaultUser       = "root"
	defaultPort       = 22
	defaultDialErrors = 10
	defaultDialLimit  = 15
	unlimited         = -1
)

// Endpoint is one SSH server and the way to log in.
type Endpoint struct {
	User               *string  `pulumi:"user,optional"`
	Password           *string  `pulumi:"password,optional" provider:"secret"`
	Host               *string  `pulumi:"host"`
	Port               *float64 `pulumi:"port,optional"`
	PrivateKey         *string  `pulumi:"privateKey,optional" provider:"secret"`
	PrivateKeyPassword *string  `pulumi:"privateKeyPassword,optional" provider:"secret"`
	// AgentSocketPath is an SSH agent; $SSH_AUTH_SOCK if nil. One that does not
	// answer fails the command, private key or not.
	AgentSocketPath *string `pulumi:"agentSocketPath,optional"`
	// DialErrorLimit is how many failed dials are retried; -1 is no limit.
	DialErrorLimit *int `pulumi:"dialErrorLimit,optional"`
	// PerDialTimeout bounds one TCP connect in seconds, not the SSH handshake;
	// 0 is no bound.
	PerDialTimeout *int `pulumi:"perDialTimeout,optional"`
	// HostKey is the expected key in authorized_keys form; any key if nil.
	HostKey *string `pulumi:"hostKey,optional"`
}

// Connection is an endpoint, perhaps behind a bastion.
type Connection struct {
	Endpoint
	Proxy *ProxyConnection `pulumi:"proxy,optional"`
}

// ProxyConnection is the bastion.
type ProxyConnection struct{ Endpoint }

// Annotate sets the defaults that Check fills in.
func (c *Connection) Annotate(a infer.Annotator) {
	annotate(a, &c.Endpoint)
}

// Annotate sets the defaults that Check fills in.
func (c *ProxyConnection) Annotate(a infer.Annotator) {
	annotate(a, &c.Endpoint)
}

func annotate(a infer.Annotator, e *Endpoint) {
	a.SetDefault(&e.User, defaultUser)
	a.SetDefault(&e.Port, defaultPort)
	a.SetDefault(&e.DialErrorLimit, defaultDialErrors)
	a.SetDefault(&e.PerDialTimeout, defaultDialLimit)
}
