package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"strata/internal/remote"
)

// loginLimit bounds one login to the jump hosts while connections wait for it.
const loginLimit = 10 * time.Second

// jumpHost is the last host on the way, logged in to when it is needed.
type jumpHost struct {
	target remote.Target
	dialer remote.Dialer

	mutex   sync.Mutex
	client  *remote.Client
	trouble error
}

// newJumpHost is the end of a tunnel; key is what remote.Dialer takes.
func newJumpHost(spec Spec, key []byte) *jumpHost {
	return &jumpHost{target: remote.Target{Jump: spec.Via, Agent: spec.Agent}, dialer: remote.Dialer{PrivateKey: key}}
}

// connect makes one attempt to connect to an address from the jump host.
func (j *jumpHost) connect(ctx context.Context, address string) (net.Conn, error) {
	client, err := j.login(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := client.DialContext(ctx, address)
	if errors.Is(err, remote.ErrForwarding) {
		j.failed(err)
	}
	return conn, err
}

// login is the connection to the jump host, made anew where it has ended. Others wait meanwhile: they need the same one.
func (j *jumpHost) login(ctx context.Context) (*remote.Client, error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.client != nil {
		select {
		case <-j.client.Done():
		default:
			return j.client, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, loginLimit)
	defer cancel()
	j.client, j.trouble = j.dialer.DialJumpHost(ctx, j.target)
	if j.trouble != nil {
		j.client = nil
		return nil, fmt.Errorf("tunnel: %w", j.trouble)
	}
	return j.client, nil
}

func (j *jumpHost) failed(err error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.trouble = err
}

// why is why the last connection did not come about; empty where it did, or was refused by the far end.
func (j *jumpHost) why() string {
	if !j.mutex.TryLock() {
		return "it is being logged in to"
	}
	defer j.mutex.Unlock()
	if j.trouble == nil {
		return ""
	}
	return j.trouble.Error()
}

func (j *jumpHost) close() {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.client != nil {
		_ = j.client.Close() // The process ends.
	}
}
