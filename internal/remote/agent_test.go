package remote_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"strata/internal/remote"
	"strata/internal/remote/sshtest"
)

// startAgent is an ssh-agent with keys, which the process finds as a person's.
func startAgent(t *testing.T, keys ...[]byte) {
	t.Helper()
	ring := agent.NewKeyring()
	for _, key := range keys {
		private, err := ssh.ParseRawPrivateKey(key)
		require.NoError(t, err)
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
	}
	socket := filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn) }()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
}

func TestTheAgentsKeysLogInEverywhereOnTheWay(t *testing.T) {
	jumps, host, target, _ := chain(t, 1)
	startAgent(t, jumps[0].PrivateKey(), host.PrivateKey())
	_, err := remote.Dial(soon(t), target, nil)
	require.ErrorContains(t, err, "expected PEM, found none", "an agent that was not asked for is left alone")
	target.Agent = true
	client, err := remote.Dial(soon(t), target, nil)
	require.NoError(t, err)
	require.NoError(t, client.Close())
}

func TestAnAgentThatIsGoneMattersOnlyWhereItIsNeeded(t *testing.T) {
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

func TestAnAgentWithoutAKeySaysSo(t *testing.T) {
	server := sshtest.Start(t)
	startAgent(t)
	target := server.Target()
	target.Agent = true
	_, err := remote.Dial(soon(t), target, nil)
	require.ErrorIs(t, err, remote.ErrAgent)
	assert.Contains(t, err.Error(), "ssh-add")
}
