package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"strata/internal/ssh/remote"
)

const (
	// loginLimit bounds one login to the jump hosts, which may be slow under load. Connections wait
	// only for patience and then fail with the reason of the delay.
	loginLimit = 30 * time.Second
	// patience bounds how long a connection waits for a login. Gates give up after 3 s, and need
	// the cause before that.
	patience = 1500 * time.Millisecond
	// quiet is the time without an answer of the address after which a keepalive checks the jump
	// host. pingLimit bounds that keepalive.
	quiet, pingLimit = 750 * time.Millisecond, time.Second
)

// jumpHost is the tunnel's last jump host. It logs in when a connection needs it.
type jumpHost struct {
	name   string
	target remote.Target
	dialer remote.Dialer
	// limit bounds one login.
	limit time.Duration
	// life ends when the tunnel exits.
	life context.Context

	mutex  sync.Mutex
	client *remote.Client
	// underWay is closed when the running login has finished; nil if none runs.
	underWay chan struct{}
	// trouble is the error of the last login; nil if it succeeded.
	trouble error
	// pauses has the pause after the next refused login. until is the end of the last pause.
	pauses wait.Backoff
	until  time.Time
}

// loginPauses are the pauses after logins that the jump host refuses. Guards such as fail2ban and
// OpenSSH's PerSourcePenalties block clients that retry too soon.
var loginPauses = wait.Backoff{
	Duration: 2 * time.Second, Factor: 2, Cap: 30 * time.Second, Steps: 1 << 10,
}

// jumpHostError reports that a connection failed because of the jump host, not because of the
// address.
type jumpHostError struct{ why error }

func (e *jumpHostError) Error() string { return e.why.Error() }
func (e *jumpHostError) Unwrap() error { return e.why }

var (
	errUnderWay = errors.New("it is being logged in to")
	errSilent   = errors.New("it gives no answer")
)

// newJumpHost returns the last jump host of a tunnel, without a login. key is a Dialer's
// PrivateKey.
func newJumpHost(life context.Context, spec Spec, key []byte) *jumpHost {
	target := remote.Target{Jump: spec.Via, Agent: spec.Agent}
	return &jumpHost{name: spec.last(), life: life, limit: loginLimit, target: target,
		dialer: remote.Dialer{PrivateKey: key}, pauses: loginPauses}
}

// connect makes one attempt to connect to an address from the jump host. It returns a
// *jumpHostError if the jump host failed; any other error is about the address.
func (j *jumpHost) connect(ctx context.Context, address string) (net.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := j.login(bounded)
	if err != nil {
		return nil, &jumpHostError{err}
	}
	conn, err := dialWatched(ctx, client, address)
	var said *net.OpError
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(err, remote.ErrForwarding):
		return nil, &jumpHostError{fmt.Errorf("%s: %w", j.name, err)}
	case errors.As(err, &said) && said.Op == "dial", errors.Is(err, remote.ErrConnectFailed):
		return nil, err
	case errors.Is(err, errSilent):
		return nil, &jumpHostError{fmt.Errorf("jump host %s: %w", j.name, err)}
	}
	return nil, &jumpHostError{fmt.Errorf("jump host %s: the connection to it was lost: %w",
		j.name, err)}
}

// dialWatched connects to an address from the client's host. It fails with errSilent if that host
// does not answer a keepalive.
func dialWatched(ctx context.Context, client *remote.Client, address string) (net.Conn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(quiet, func() {
		asked, stop := context.WithTimeout(ctx, pingLimit)
		defer stop()
		if client.Ping(asked) != nil {
			cancel(errSilent)
		}
	})
	defer watch.Stop()
	conn, err := client.DialContext(ctx, address)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return nil, errSilent
	}
	return conn, err
}

// login returns the connection to the jump host. If the connection has ended, it logs in again.
// Concurrent callers share one login.
func (j *jumpHost) login(ctx context.Context) (*remote.Client, error) {
	client, underWay := j.begin()
	if client != nil {
		return client, nil
	}
	if underWay != nil {
		select {
		case <-underWay:
		case <-ctx.Done():
		}
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	switch {
	case j.isConnected():
		return j.client, nil
	case j.trouble != nil:
		return nil, j.trouble
	}
	return nil, fmt.Errorf("jump host %s: %w", j.name, errUnderWay)
}

// begin returns the connection to the jump host. If the connection has ended, it returns nil and a
// channel that is closed when the login has finished; it starts a login if none runs. During the
// pause after a refused login, both are nil.
func (j *jumpHost) begin() (*remote.Client, <-chan struct{}) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.isConnected() {
		return j.client, nil
	}
	if j.underWay == nil && !time.Now().Before(j.until) {
		j.underWay = make(chan struct{})
		go j.attempt(j.underWay)
	}
	return nil, j.underWay
}

// isConnected reports whether the connection of the last login is still open.
func (j *jumpHost) isConnected() bool {
	if j.client == nil {
		return false
	}
	select {
	case <-j.client.Done():
		return false
	default:
		return true
	}
}

// attempt logs in and closes ended. If the jump host could not be reached, the next login may start
// at once, because the host may be booting. After a refusal, the next login must wait until the
// pause has ended.
func (j *jumpHost) attempt(ended chan struct{}) {
	ctx, cancel := context.WithTimeout(j.life, j.limit)
	defer cancel()
	var last error
	dialer := j.dialer
	dialer.Notify = func(err error) {
		last = fmt.Errorf("jump host %s: %w", j.name, err)
		j.setTrouble(last)
	}
	client, err := dialer.DialJumpHost(ctx, j.target)
	j.mutex.Lock()
	defer j.mutex.Unlock()
	defer close(ended)
	j.client, j.trouble, j.underWay = client, err, nil
	switch {
	case err == nil:
		client.SetDeadAfter(remote.SoonDead)
		j.pauses = loginPauses
	case !errors.Is(err, context.DeadlineExceeded), errors.Is(err, remote.ErrKeyRejected):
		j.until = time.Now().Add(j.pauses.Step())
	case last != nil:
		j.trouble = last // unlike err, it has the same text each time
	}
	if client != nil && j.life.Err() != nil {
		_ = client.Close() // The tunnel has exited meanwhile.
	}
}

func (j *jumpHost) setTrouble(err error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.trouble = err
}

// state returns the reason why the jump host cannot be used, and whether a login runs. The reason
// is empty if it can be used, or if that is not yet known.
func (j *jumpHost) state() (trouble string, pending bool) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.isConnected() {
		return "", false
	}
	if j.trouble != nil {
		trouble = j.trouble.Error()
	}
	return trouble, j.underWay != nil
}

func (j *jumpHost) close() {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.client != nil {
		_ = j.client.Close() // The process exits.
	}
}
