package remote_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
)

func TestForwardedConnectionsLeaveFromLastJumpHost(t *testing.T) {
	jumps, host, target, keys := chain(t, 2)
	client, err := remote.Dialer{PrivateKey: keys}.DialJumpHost(soon(t), target)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	behind := net.JoinHostPort("127.0.0.1", port(host.Target()))
	conn, err := client.DialContext(soon(t), behind)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	assert.Equal(t, []string{behind}, jumps[1].Onward())
	assert.Len(t, jumps[0].Onward(), 1, "the login to the second")
	require.Eventually(t, func() bool {
		return host.Connections() == 1
	}, 5*time.Second, 10*time.Millisecond,
		"the host behind them is connected to, and not logged in to")
}

func TestPingOfSilentJumpHostEndsWithContext(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	client, err := remote.Dialer{PrivateKey: keys}.DialJumpHost(soon(t), target)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	require.NoError(t, client.Ping(soon(t)))
	jumps[0].Silence()
	bounded, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, client.Ping(bounded), context.DeadlineExceeded)
}

// If the jump host cannot connect, the error is about the address. If the connection to it is lost,
// the error is about the jump host.
func TestConnectErrorIsDistinguishedFromLostJumpHost(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	client, err := remote.Dialer{PrivateKey: keys}.DialJumpHost(soon(t), target)
	require.NoError(t, err)
	_, err = client.DialContext(soon(t), "nowhere.invalid:80")
	require.ErrorIs(t, err, remote.ErrConnectFailed)
	jumps[0].Cut()
	<-client.Done()
	_, err = client.DialContext(soon(t), "nowhere.invalid:80")
	require.Error(t, err)
	require.NotErrorIs(t, err, remote.ErrConnectFailed)
}

// The sudo password is for the nodes. A jump host that got it could lock its user out.
func TestJumpHostGetsNoSudoPassword(t *testing.T) {
	jumps, _, target, keys := chain(t, 1)
	keys = append(keys, remote.SudoPassword("hunter2", "")...)
	client, err := remote.Dialer{PrivateKey: keys}.DialJumpHost(soon(t), target)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Empty(t, jumps[0].Commands())
}

func TestDialJumpHostFailsWithoutJumpHost(t *testing.T) {
	_, _, target, keys := chain(t, 0)
	_, err := remote.Dialer{PrivateKey: keys}.DialJumpHost(soon(t), target)
	require.ErrorIs(t, err, remote.ErrNoJumpHost)
}
