package remote

import (
	"crypto/ed25519"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// slowServer starts an SSH server that answers each connection after a delay, and returns its
// address.
func slowServer(t *testing.T, delay time.Duration) *net.TCPAddr {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			time.AfterFunc(delay, func() { _, _, _, _ = ssh.NewServerConn(conn, config) })
		}
	}()
	return listener.Addr().(*net.TCPAddr)
}

// Many logins at once can each take longer than the first limit. With a constant limit, none of
// them would ever succeed.
func TestHandshakeLimitGrowsUntilSlowHostAnswers(t *testing.T) {
	at := slowServer(t, 200*time.Millisecond)
	l := &login{target: Target{Address: at.IP.String(), Port: at.Port}, limit: 30 * time.Millisecond,
		config: &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()}}
	timeouts := 0
	for {
		_, client, err := l.connect(t.Context(), nil)
		if err == nil {
			require.NoError(t, client.Close())
			break
		}
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		timeouts++
	}
	assert.GreaterOrEqual(t, timeouts, 3)
	assert.LessOrEqual(t, l.limit, longestHandshake)
}
