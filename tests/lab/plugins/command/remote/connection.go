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

// Connection has the address of an SSH server and the credentials.
type Connection struct {
	User       *string  `pulumi:"user,optional"`
	Host       *string  `pulumi:"host"`
	Port       *float64 `pulumi:"port,optional"`
	PrivateKey *string  `pulumi:"privateKey,optional" provider:"secret"`
	// DialErrorLimit is the maximum number of retries of a failed connection; -1 means no limit.
	DialErrorLimit *int `pulumi:"dialErrorLimit,optional"`
	// PerDialTimeout is the timeout, in seconds, of one TCP connection, without the SSH handshake;
	// 0 means no timeout.
	PerDialTimeout *int `pulumi:"perDialTimeout,optional"`
	// HostKey is the expected host key in authorized_keys form. If it is nil, any key is accepted.
	HostKey *string `pulumi:"hostKey,optional"`
}

// Annotate sets the default values.
func (c *Connection) Annotate(a infer.Annotator) {
	a.SetDefault(&c.User, defaultUser)
	a.SetDefault(&c.Port, defaultPort)
	a.SetDefault(&c.DialErrorLimit, defaultDialErrors)
	a.SetDefault(&c.PerDialTimeout, defaultDialLimit)
}
