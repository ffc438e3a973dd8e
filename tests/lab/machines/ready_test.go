package machines

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/rootfs"
)

func TestHandshakeAcceptsOnlyTheMachinesHostKey(t *testing.T) {
	l := rootfs.Layer(t.TempDir())
	ours, err := l.EnsureHostKey("server-1")
	require.NoError(t, err)
	others, err := rootfs.Layer(t.TempDir()).EnsureHostKey("server-1")
	require.NoError(t, err)
	addr := serveSSH(t, l)
	require.NoError(t, handshake(t.Context(), addr, ours))
	require.ErrorContains(t, handshake(t.Context(), addr, others), "has another host key")
}

// serveSSH starts an SSH server that has the machine's key and rejects every login. It returns its
// address.
func serveSSH(t *testing.T, l rootfs.Layer) string {
	t.Helper()
	raw, err := l.PrivateHostKey()
	require.NoError(t, err)
	signer, err := ssh.ParsePrivateKey(raw)
	require.NoError(t, err)
	config := &ssh.ServerConfig{
		PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			return nil, os.ErrPermission
		}}
	config.AddHostKey(signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			_, _, _, _ = ssh.NewServerConn(conn, config) // every login fails
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}
