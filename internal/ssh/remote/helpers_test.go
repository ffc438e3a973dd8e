package remote_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func authorized(signer ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

func ecdsaKey(t *testing.T) string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return authorized(signer)
}

// lateBanner closes its first connections, like sshd during a boot without host keys or users.
type lateBanner struct {
	net.Listener
	closeFirst int
}

func (l *lateBanner) Accept() (net.Conn, error) {
	for ; l.closeFirst > 0; l.closeFirst-- {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		_ = conn.Close()
	}
	return l.Listener.Accept()
}
