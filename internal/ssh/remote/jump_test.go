package remote_test

import (
	"context"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

// chain starts jump hosts that forward connections, and a host that they lead to. Each has a login
// key of its own.
func chain(t *testing.T, hops int) (jumps []*sshtest.Server, host *sshtest.Server,
	target remote.Target, keys []byte) {
	t.Helper()
	host = sshtest.Start(t)
	target, keys = host.Target(), host.PrivateKey()
	for range hops {
		jump := sshtest.Start(t)
		jump.Forwards, jump.User = true, "jump"
		jumps = append(jumps, jump)
		target.Jump = append(target.Jump, jump.Hop())
		keys = append(keys, jump.PrivateKey()...)
	}
	return jumps, host, target, keys
}

func TestHostIsReachedThroughJumpHostsInOrder(t *testing.T) {
	jumps, host, target, keys := chain(t, 2)
	client, err := remote.Dial(soon(t), target, keys)
	require.NoError(t, err)
	result, err := client.Run(soon(t), "cat", []byte("through"))
	require.NoError(t, err)
	assert.Equal(t, "through", string(result.Stdout))
	second := jumps[1].Target()
	assert.Equal(t, []string{net.JoinHostPort("127.0.0.1", port(second))}, jumps[0].Onward())
	assert.Equal(t, []string{net.JoinHostPort("127.0.0.1", port(host.Target()))}, jumps[1].Onward())
	require.NoError(t, client.Close())
	for _, jump := range jumps {
		assert.Empty(t, jump.Commands(), "nothing runs on the way")
		require.Eventually(t, func() bool {
			return jump.Open() == 0
		}, 5*time.Second, 10*time.Millisecond, "the way ends with the connection")
	}
}

func TestJumpHostKeyMismatchFailsAtOnce(t *testing.T) {
	jumps, host, target, keys := chain(t, 2)
	target.Jump[1].HostKey = host.HostKey()
	_, err := remote.Dial(soon(t), target, keys)
	var wrong *remote.HostKeyError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, err.Error(), "jump host "+target.Jump[1].Address+":"+port(jumps[1].Target()))
	assert.Equal(t, port(jumps[1].Target()), port(wrong.Target))
	assert.Empty(t, wrong.Target.Name, "only the host behind it has one")
	assert.Zero(t, host.Connections())
}

func TestJumpHostWithoutPinnedKeyIsNotContacted(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	target.Jump[0].HostKey = ""
	_, err := remote.Dial(soon(t), target, keys)
	require.ErrorContains(t, err, "jump host: ")
	require.ErrorContains(t, err, "no pinned host key")
	assert.Zero(t, jumps[0].Connections())
}

func TestErrorNamesJumpHostThatRejectsKey(t *testing.T) {
	_, host, target, _ := chain(t, 1)
	_, err := remote.Dial(soon(t), target, host.PrivateKey())
	require.ErrorIs(t, err, remote.ErrKeyRejected)
	assert.Contains(t, err.Error(), "jump host 127.0.0.1:")
	assert.Contains(t, err.Error(), "for user jump")
}

func TestJumpHostWithoutForwardingFailsWithFix(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	jumps[0].Forwards = false
	_, err := remote.Dial(soon(t), target, keys)
	require.ErrorIs(t, err, remote.ErrForwarding)
	assert.Contains(t, err.Error(), "through jump host 127.0.0.1:")
	assert.Contains(t, err.Error(), "AllowTcpForwarding yes")
	assert.Equal(t, 1, jumps[0].Connections())
}

// Attempts to reach the host share one login to a jump host. Each login would cost the jump host a
// process and a line in its log.
func TestDialWaitsForBootingHostOverOneJumpHostLogin(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	late := sshtest.New(t)
	closed := nettest.Closed(t)
	target.Port, target.HostKey = closed.Number(), late.HostKey()
	refused := make(chan string, 1)
	go func() {
		<-refused
		if listener, err := closed.Listen(); err == nil {
			late.Serve(t, &lateBanner{Listener: listener, closeFirst: 2})
		}
	}()
	dialer := remote.Dialer{PrivateKey: append(keys, late.PrivateKey()...),
		Notify: func(err error) {
			select {
			case refused <- err.Error():
			default:
			}
		}}
	client, err := dialer.Dial(soon(t), target)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Equal(t, 1, jumps[0].Connections())
	assert.Greater(t, len(jumps[0].Onward()), 3)
}

func TestDialTimeoutThroughJumpHostNamesCause(t *testing.T) {
	_, _, target, keys := chain(t, 1)
	target.Port = nettest.Closed(t).Number()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := remote.Dial(ctx, target, keys)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Contains(t, err.Error(), "through jump host 127.0.0.1:")
	assert.Contains(t, err.Error(), "connection refused: sshd is not listening")
}

func TestDialLogsInAgainAfterJumpHostConnectionIsLost(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	target.Port = nettest.Closed(t).Number()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	dialer := remote.Dialer{PrivateKey: keys, Notify: func(error) {
		if jumps[0].Connections() == 1 {
			jumps[0].Cut()
		}
		if jumps[0].Connections() > 1 {
			cancel()
		}
	}}
	_, err := dialer.Dial(ctx, target)
	require.Error(t, err)
	assert.Greater(t, jumps[0].Connections(), 1)
}

func TestDeadJumpHostIsDetectedInSeconds(t *testing.T) {
	t.Parallel()
	jumps, _, target, keys := chain(t, 2)
	client, err := remote.Dial(soon(t), target, keys)
	require.NoError(t, err)
	client.SetDeadAfter(time.Second)
	jumps[0].Silence()
	start := time.Now()
	_, err = client.Run(soon(t), "sleep 60", nil)
	require.ErrorContains(t, err, "no answer for 1s")
	assert.Less(t, time.Since(start), 8*time.Second)
	require.Eventually(t, func() bool { return jumps[0].Open() == 0 }, 5*time.Second,
		10*time.Millisecond)
}

func TestFirstContactGoesThroughJumpHosts(t *testing.T) {
	jumps, host, target, keys := chain(t, 1)
	target.HostKey = ""
	key, err := remote.Dialer{PrivateKey: keys}.Scan(soon(t), target)
	require.NoError(t, err)
	assert.Equal(t, host.HostKey(), key)
	assert.Len(t, jumps[0].Onward(), 1)
	assert.Empty(t, host.Commands())
}

func port(t remote.Target) string { return strconv.Itoa(t.Port) }
