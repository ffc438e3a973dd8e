package remote_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// startAgent starts an ssh-agent with keys, at SSH_AUTH_SOCK. It returns the number of open
// connections to the agent.
func startAgent(t *testing.T, keys ...[]byte) *atomic.Int32 {
	t.Helper()
	ring := agent.NewKeyring()
	for _, key := range keys {
		private, err := ssh.ParseRawPrivateKey(key)
		require.NoError(t, err)
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
	}
	_, open := listenAsAgent(t, func(conn net.Conn) { _ = agent.ServeAgent(ring, conn) })
	return open
}

// listenAsAgent calls serve for each connection to a socket at SSH_AUTH_SOCK. It returns the socket
// and the number of open connections.
func listenAsAgent(t *testing.T, serve func(net.Conn)) (string, *atomic.Int32) {
	t.Helper()
	socket, open := filepath.Join(t.TempDir(), "agent"), &atomic.Int32{}
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Add(1)
			go func() {
				serve(conn)
				_ = conn.Close()
				open.Add(-1)
			}()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
	return socket, open
}

// hang is an agent that accepts a connection and stays silent until the client closes it.
func hang(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// hangAtSign is an agent that lists a key and then is silent, as while a hardware key waits for a
// touch.
func hangAtSign(key ssh.PublicKey) func(net.Conn) {
	list := ssh.Marshal(struct {
		Count   uint32 `sshtype:"12"` // SSH_AGENT_IDENTITIES_ANSWER
		Blob    []byte
		Comment string
	}{1, key.Marshal(), "hardware key"})
	return func(conn net.Conn) {
		request := make([]byte, 5) // the length 1, and SSH_AGENTC_REQUEST_IDENTITIES
		if _, err := io.ReadFull(conn, request); err != nil {
			return
		}
		_, _ = conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(list))), list...))
		hang(conn)
	}
}

// briefly returns a context with a short deadline, for calls that wait for a silent agent.
func briefly(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

// publicKey returns the public half of a PEM key.
func publicKey(t *testing.T, key []byte) ssh.PublicKey {
	t.Helper()
	signer, err := ssh.ParsePrivateKey(key)
	require.NoError(t, err)
	return signer.PublicKey()
}

func TestAgentKeysLogInToJumpHostsAndHost(t *testing.T) {
	jumps, host, target, _ := chain(t, 1)
	startAgent(t, jumps[0].PrivateKey(), host.PrivateKey())
	_, err := remote.Dial(soon(t), target, nil)
	require.ErrorContains(t, err, "expected PEM, found none",
		"an agent that was not asked for is left alone")
	target.Agent = true
	client, err := remote.Dial(soon(t), target, nil)
	require.NoError(t, err)
	require.NoError(t, client.Close())
}

func TestMissingAgentFailsLoginOnlyIfNoOtherKeyWorks(t *testing.T) {
	server := sshtest.Start(t)
	other, _ := sshtest.NewKey(t)
	target := server.Target()
	target.Agent = true
	stale := filepath.Join(t.TempDir(), "gone")
	t.Setenv("SSH_AUTH_SOCK", stale)

	client, err := remote.Dial(soon(t), target, server.PrivateKey())
	require.NoError(t, err, "the key lets in")
	require.NoError(t, client.Close())

	for _, keys := range [][]byte{nil, other} {
		before := server.Connections()
		_, err = remote.Dial(soon(t), target, keys)
		require.ErrorIs(t, err, remote.ErrAgent)
		assert.Contains(t, err.Error(), stale)
		assert.Equal(t, before+1, server.Connections(), "no wait cures it")
	}
	t.Setenv("SSH_AUTH_SOCK", "")
	_, err = remote.Dial(soon(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "SSH_AUTH_SOCK is not set")
}

func TestAgentWithoutKeyIsReported(t *testing.T) {
	server := sshtest.Start(t)
	startAgent(t)
	target := server.Target()
	target.Agent = true
	_, err := remote.Dial(soon(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "ssh-add")
}

func TestHangingAgentIsNotAskedWhenKeySuffices(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.Agent = true
	var asked atomic.Bool
	listenAsAgent(t, func(conn net.Conn) {
		asked.Store(true)
		hang(conn)
	})
	start := time.Now()
	client, err := remote.Dial(soon(t), target, server.PrivateKey())
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Less(t, time.Since(start), 2*time.Second)
	assert.False(t, asked.Load())
}

func TestAgentKeyIsTriedAfterRefusedKey(t *testing.T) {
	server := sshtest.Start(t)
	other, _ := sshtest.NewKey(t)
	target := server.Target()
	target.Agent = true
	open := startAgent(t, server.PrivateKey())
	client, err := remote.Dial(soon(t), target, other)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Equal(t, 1, server.Connections(), "both in one attempt")
	require.Eventually(t, func() bool {
		return open.Load() == 0
	}, 5*time.Second, 10*time.Millisecond, "no connection to the agent is left")
}

func TestKeyRejectionNamesAllOfferedKeys(t *testing.T) {
	server := sshtest.Start(t)
	file, fileKey := sshtest.NewKey(t)
	agents, agentKey := sshtest.NewKey(t)
	target := server.Target()
	target.Agent = true
	startAgent(t, agents)
	_, err := remote.Dial(soon(t), target, file)
	require.ErrorIs(t, err, remote.ErrKeyRejected)
	assert.Contains(t, err.Error(),
		ssh.FingerprintSHA256(fileKey.PublicKey())+" and ssh-ed25519 "+
			ssh.FingerprintSHA256(agentKey.PublicKey()))
}

func TestAgentHangingAtListIsReportedAtTimeout(t *testing.T) {
	server := sshtest.Start(t)
	other, _ := sshtest.NewKey(t)
	target := server.Target()
	target.Agent = true
	socket, open := listenAsAgent(t, hang)
	for _, keys := range [][]byte{nil, other} {
		start := time.Now()
		_, err := remote.Dial(briefly(t), target, keys)
		require.ErrorIs(t, err, remote.ErrAgent)
		assert.Contains(t, err.Error(),
			"SSH_AUTH_SOCK is "+socket+" and the agent there does not answer: it listed no keys")
		assert.Contains(t, err.Error(), "otherwise unlock it or start a new one")
		assert.Less(t, time.Since(start), 5*time.Second)
	}
	require.Eventually(t, func() bool {
		return open.Load() == 0
	}, 5*time.Second, 10*time.Millisecond, "no connection to it is left")
}

func TestAgentHangingAtSignIsReportedAtTimeout(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.Agent = true
	socket, open := listenAsAgent(t, hangAtSign(publicKey(t, server.PrivateKey())))
	start := time.Now()
	_, err := remote.Dial(briefly(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "SSH_AUTH_SOCK is "+socket+
		" and the agent there does not answer: it did not sign")
	assert.Contains(t, err.Error(), "touch the hardware key")
	assert.Less(t, time.Since(start), 5*time.Second)
	require.Eventually(t, func() bool {
		return open.Load() == 0
	}, 5*time.Second, 10*time.Millisecond, "no connection to it is left")
}

func TestAgentThatAcceptsNoConnectionIsReported(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.Agent = true
	socket := filepath.Join(t.TempDir(), "agent")
	t.Setenv("SSH_AUTH_SOCK", socket)
	listener, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(listener) })
	require.NoError(t, syscall.Bind(listener, &syscall.SockaddrUnix{Name: socket}))
	require.NoError(t, syscall.Listen(listener, 0))

	_, err = remote.Dial(briefly(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "it listed no keys", "the kernel has accepted for it")

	_, err = remote.Dial(briefly(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "the agent there does not answer: it accepts no connection",
		"the kernel has no more room")
}

func TestAgentThatDisconnectsIsReportedAndNotRetried(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.Agent = true
	listenAsAgent(t, func(net.Conn) {})
	before := server.Connections()
	_, err := remote.Dial(soon(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "the agent there broke off")
	assert.Equal(t, before+1, server.Connections(), "no wait cures it")
}

// An agent serves one request after the other. While it waits for the touch of a hardware key for
// one login, other logins must not fail. They must not treat the jump host as dead, either.
func TestSilentAgentIsRetriedOverSameJumpHost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the seconds that an agent is given")
	}
	jumps, host, target, _ := chain(t, 1)
	target.Agent = true
	listenAsAgent(t, hang)
	var silences []error
	dialer := remote.Dialer{PrivateKey: jumps[0].PrivateKey(), Notify: func(err error) {
		silences = append(silences, err)
		if len(silences) == 2 {
			startAgent(t, host.PrivateKey())
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := dialer.Dial(ctx, target)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	require.Len(t, silences, 2)
	for _, silence := range silences {
		require.ErrorIs(t, silence, remote.ErrAgent)
	}
	assert.Equal(t, 1, jumps[0].Connections())
}

func TestAgentThatDoesNotSignIsReportedBeforeLoginTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the seconds that a hardware key's touch is given")
	}
	server := sshtest.Start(t)
	target := server.Target()
	target.Agent = true
	listenAsAgent(t, hangAtSign(publicKey(t, server.PrivateKey())))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := time.Now()
	dialer := remote.Dialer{Notify: func(error) { cancel() }}
	_, err := dialer.Dial(ctx, target)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "it did not sign")
	assert.Less(t, time.Since(start), 20*time.Second)
}
