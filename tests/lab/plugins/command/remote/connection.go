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

// Connection is an SSH server and the way to log in.
type Connection struct {
	User       *string  `pulumi:"user,optional"`
	Host       *string  `pulumi:"host"`
	Port       *float64 `pulumi:"port,optional"`
	PrivateKey *string  `pulumi:"privateKey,optional" provider:"secret"`
	// DialErrorLimit limits the retries of failed dials; -1 is no limit.
	DialErrorLimit *int `pulumi:"dialErrorLimit,optional"`
	// PerDialTimeout bounds one TCP connect in seconds, not the SSH handshake;
	// 0 is no bound.
	PerDialTimeout *int `pulumi:"perDialTimeout,optional"`
	// HostKey is the expected key in authorized_keys form; any key if nil.
	HostKey *string `pulumi:"hostKey,optional"`
}

// Annotate sets the defaults that Check fills in.
func (c *Connection) Annotate(a infer.Annotator) {
	a.SetDefault(&c.User, defaultUser)
	a.SetDefault(&c.Port, defaultPort)
	a.SetDefault(&c.DialErrorLimit, defaultDialErrors)
	a.SetDefault(&c.PerDialTimeout, defaultDialLimit)
}
