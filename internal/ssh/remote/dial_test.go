package remote_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

// soon returns a context for calls that must not take long. Its deadline is generous, because other
// tests use the machine as well.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, server *sshtest.Server) *remote.Client {
	t.Helper()
	client, err := remote.Dial(soon(t), server.Target(), server.PrivateKey())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestHostKeyMismatchFailsAtOnceAndNamesBothKeys(t *testing.T) {
	server, impostor := sshtest.Start(t), sshtest.Start(t)
	target := impostor.Target()
	target.HostKey = server.HostKey()
	_, err := remote.Dial(soon(t), target, impostor.PrivateKey())
	var wrong *remote.HostKeyError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, wrong.Want, "ssh-ed25519 SHA256:")
	assert.Contains(t, wrong.Got, "ssh-ed25519 SHA256:")
	assert.NotEqual(t, wrong.Want, wrong.Got)
	assert.Contains(t, err.Error(), "strata hostkey")
	assert.Equal(t, 1, impostor.Connections())
	assert.Empty(t, impostor.Commands())
}

func TestHostWithoutKeyOfPinnedTypeIsRefused(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.HostKey = ecdsaKey(t)
	_, err := remote.Dial(soon(t), target, server.PrivateKey())
	var wrong *remote.HostKeyError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, wrong.Got, "no ecdsa-sha2-nistp256 key, only ssh-ed25519")
}

func TestRejectedKeyFailsAtOnceOnRunningHost(t *testing.T) {
	server := sshtest.Start(t)
	key, _ := sshtest.NewKey(t)
	_, err := remote.Dial(soon(t), server.Target(), key)
	require.ErrorIs(t, err, remote.ErrKeyRejected)
	assert.Contains(t, err.Error(), "authorized_keys")
	assert.NotContains(t, err.Error(), "PRIVATE KEY")
	assert.Equal(t, 1, server.Connections())
}

func TestEachPrivateKeyIsOffered(t *testing.T) {
	server := sshtest.Start(t)
	other, _ := sshtest.NewKey(t)
	client, err := remote.Dial(soon(t), server.Target(), append(other, server.PrivateKey()...))
	require.NoError(t, err)
	require.NoError(t, client.Close())
	_, err = remote.Dial(soon(t), server.Target(), []byte("not a key"))
	require.ErrorContains(t, err, "expected PEM, found none")
}

func TestHostWithoutPinnedKeyIsNotContacted(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.HostKey = ""
	_, err := remote.Dial(soon(t), target, server.PrivateKey())
	require.ErrorContains(t, err, "no pinned host key")
	assert.Zero(t, server.Connections())
}

func TestDialRetriesUntilBootingHostSendsBanner(t *testing.T) {
	server := sshtest.New(t)
	port := nettest.Closed(t)
	target := remote.Target{Name: "slow", Address: "127.0.0.1", Port: port.Number(), User: "root",
		HostKey: server.HostKey()}

	var output atomic.Value
	refused := make(chan struct{})
	go func() {
		<-refused
		if listener, err := port.Listen(); err == nil {
			server.Serve(t, &lateBanner{Listener: listener, closeFirst: 2})
		}
	}()
	dialer := remote.Dialer{PrivateKey: server.PrivateKey(), Notify: func(err error) {
		if output.Swap(err.Error()) == nil {
			close(refused)
		}
	}}
	client, err := dialer.Dial(soon(t), target)
	require.NoError(t, err)
	assert.Equal(t, 1, server.Connections(), "the third connection is the first with a banner")
	assert.Equal(t, "connection accepted and closed: sshd is not ready", output.Load())
	require.NoError(t, client.Close())
}

func TestDialTimeoutNamesLastError(t *testing.T) {
	key, signer := sshtest.NewKey(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	target := remote.Target{Name: "gone", Address: "127.0.0.1", Port: nettest.Closed(t).Number(),
		HostKey: authorized(signer)}
	_, err := remote.Dial(ctx, target, key)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Contains(t, err.Error(), "connection refused: sshd is not listening")
	assert.Contains(t, err.Error(), "gone (127.0.0.1:")
}

func TestDialOfSilentPortFailsAtTimeout(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	key, signer := sshtest.NewKey(t)
	target := remote.Target{Address: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port,
		HostKey: authorized(signer)}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = remote.Dial(ctx, target, key)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(start), 5*time.Second)
	assert.Contains(t, err.Error(),
		"connection accepted, then no answer: sshd hangs, or the whole host does",
		"and not that the host is down")
}

func TestScanReturnsHostKeyWithoutLogin(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	key, err := remote.Scan(soon(t), target.Address, target.Port)
	require.NoError(t, err)
	assert.Equal(t, server.HostKey(), key)
	assert.Empty(t, server.Commands())
}

func TestScanOfClosedPortEndsWithContext(t *testing.T) {
	// One second is enough for a refused attempt on a busy machine.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := remote.Scan(ctx, "127.0.0.1", nettest.Closed(t).Number())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Contains(t, err.Error(), "connection refused")
}

func TestDeadPeerIsDetectedInSeconds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the seconds that a dead peer is given")
	}
	t.Parallel()
	server := sshtest.Start(t)
	client := connect(t, server)
	client.SetDeadAfter(remote.SoonDead)
	server.Silence()
	start := time.Now()
	_, err := client.Run(soon(t), "sleep 60", nil)
	require.ErrorContains(t, err, "no answer for 7s")
	assert.Less(t, time.Since(start), 15*time.Second)
}

func TestSetDeadAfterChangesDeadPeerTimeout(t *testing.T) {
	t.Parallel()
	server := sshtest.Start(t)
	client := connect(t, server)
	client.SetDeadAfter(time.Second)
	server.Silence()
	_, err := client.Run(soon(t), "sleep 60", nil)
	require.ErrorContains(t, err, "no answer for 1s")
}
