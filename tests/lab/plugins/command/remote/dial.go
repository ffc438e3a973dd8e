package remote

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/retry"
	"golang.org/x/crypto/ssh"
)

// dial connects to the endpoint, through the bastion if there is one.
func (c *Connection) dial(ctx context.Context) (*ssh.Client, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	if c.Proxy == nil {
		return persist(ctx, "Dial", c.limit(), func() (*ssh.Client, error) {
			return ssh.Dial("tcp", c.address(), config)
		})
	}
	client, err := c.dialThrough(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	return client, nil
}

func (c *Connection) dialThrough(ctx context.Context, config *ssh.ClientConfig) (*ssh.Client, error) {
	proxyConfig, err := c.Proxy.config()
	if err != nil {
		return nil, err
	}
	proxy, err := persist(ctx, "Dial proxy", c.Proxy.limit(), func() (*ssh.Client, error) {
		return ssh.Dial("tcp", c.Proxy.address(), proxyConfig)
	})
	if err != nil {
		return nil, err
	}
	conn, err := persist(ctx, "Dial from proxy", c.limit(), func() (net.Conn, error) {
		return proxy.Dial("tcp", c.address())
	})
	if err != nil {
		return nil, err
	}
	return persist(ctx, "Dial", c.limit(), func() (*ssh.Client, error) {
		inner, channels, requests, err := ssh.NewClientConn(conn, c.address(), config)
		if err != nil {
			return nil, err
		}
		return ssh.NewClient(inner, channels, requests), nil
	})
}

func (e *Endpoint) address() string {
	return net.JoinHostPort(*e.Host, strconv.Itoa(int(*e.Port)))
}

func (e *Endpoint) limit() int {
	if e.DialErrorLimit == nil {
		return defaultDialErrors
	}
	return *e.DialErrorLimit
}

// persist tries until it succeeds, limit failures have been retried, or the
// context ends: 100 ms apart at first, growing by half up to 5 s.
func persist[T any](ctx context.Context, what string, limit int, try func() (T, error)) (T, error) {
	var result T
	done, _, err := retry.Until(ctx, retry.Acceptor{Accept: func(failed int, _ time.Duration) (bool, any, error) {
		var err error
		if result, err = try(); err == nil {
			return true, nil, nil
		}
		if limit != unlimited && failed >= limit {
			return true, nil, fmt.Errorf("after %d failed attempts: %w", failed, err)
		}
		p.GetLogger(ctx).InfoStatusf("%s %d/%s failed: retrying", what, failed+1, limitText(limit))
		return false, nil, nil
	}})
	if err == nil && !done {
		err = ctx.Err()
	}
	return result, err
}

func limitText(limit int) string {
	if limit == unlimited {
		return "inf"
	}
	return strconv.Itoa(limit)
}
