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

// dial connects to the server and authenticates.
func (c *Connection) dial(ctx context.Context) (*ssh.Client, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	return persist(ctx, c.limit(), func() (*ssh.Client, error) {
		return ssh.Dial("tcp", net.JoinHostPort(*c.Host, strconv.Itoa(int(*c.Port))), config)
	})
}

func (c *Connection) limit() int {
	if c.DialErrorLimit == nil {
		return defaultDialErrors
	}
	return *c.DialErrorLimit
}

// persist calls try until it succeeds, limit retries have failed, or ctx ends. The first pause is
// 100 ms. Each further pause is 1.5 times as long, up to 5 s.
func persist(ctx context.Context, limit int, try func() (*ssh.Client, error)) (*ssh.Client, error) {
	var result *ssh.Client
	done, _, err := retry.Until(ctx, retry.Acceptor{Accept: func(failed int, _ time.Duration) (bool, any, error) {
		var err error
		if result, err = try(); err == nil {
			return true, nil, nil
		}
		if limit != unlimited && failed >= limit {
			return true, nil, fmt.Errorf("after %d failed attempts: %w", failed, err)
		}
		p.GetLogger(ctx).InfoStatusf("Dial %d/%s failed: retrying", failed+1, limitText(limit))
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
