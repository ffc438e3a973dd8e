package remote_test

import (
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// A login that no key can complete fails at once, with its cause.
func TestImpossibleLoginFailsAtOnceWithCause(t *testing.T) {
	password := func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
		return nil, errUnknown
	}
	for name, test := range map[string]struct {
		configure func(*ssh.ServerConfig)
		words     string
	}{
		"no common cipher": {func(c *ssh.ServerConfig) {
			c.Ciphers = []string{ssh.InsecureCipherAES128CBC}
		}, "no client to server cipher that Strata has, only aes128-cbc; allow one of these"},
		"passwords only": {func(c *ssh.ServerConfig) {
			c.PublicKeyCallback, c.PasswordCallback = nil, password
		}, "asks user root for password after 0 accepted keys"},
		"a key and a password": {func(c *ssh.ServerConfig) {
			c.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
				return nil, &ssh.PartialSuccessError{
					Next: ssh.ServerAuthCallbacks{PasswordCallback: password}}
			}
		}, "asks user root for password after 1 accepted keys"},
	} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t)
			server.Configure = test.configure
			_, err := remote.Dial(soon(t), server.Target(), server.PrivateKey())
			require.ErrorIs(t, err, remote.ErrLogin)
			require.ErrorContains(t, err, test.words)
			assert.NotContains(t, err.Error(), "authorized_keys")
			assert.Equal(t, 1, server.Connections())
			assert.True(t, remote.HasAnswered(err))
		})
	}
	server := sshtest.Start(t)
	server.Configure = func(c *ssh.ServerConfig) { c.Ciphers = []string{ssh.InsecureCipherAES128CBC} }
	target := server.Target()
	_, err := remote.Scan(soon(t), target.Address, target.Port)
	require.ErrorIs(t, err, remote.ErrLogin)
}

func TestRareKeyExchangesAreOffered(t *testing.T) {
	for _, kex := range []string{ssh.KeyExchangeDH16SHA512, ssh.InsecureKeyExchangeDH14SHA1} {
		server := sshtest.Start(t)
		server.Configure = func(c *ssh.ServerConfig) { c.KeyExchanges = []string{kex} }
		connect(t, server)
	}
}

// PAM refuses an account after sshd has accepted the key: sshd then closes the connection. A host
// that shuts down closes it only once.
func TestRefusedAccountIsReportedAfterSeveralAttempts(t *testing.T) {
	for said, words := range map[string]string{
		"": "the account has expired, or PAM does not let it in",
		"Your account has expired; please contact your system administrator": "Your account has expired",
	} {
		server := sshtest.Start(t)
		refuseAccount(server, said, 100)
		_, err := remote.Dial(soon(t), server.Target(), server.PrivateKey())
		require.ErrorIs(t, err, remote.ErrLogin)
		require.ErrorContains(t, err, "took a key of user root and closed the connection: "+words)
		assert.Equal(t, 3, server.Connections())
	}
	server := sshtest.Start(t)
	refuseAccount(server, "", 2)
	connect(t, server)

	server = sshtest.Start(t)
	refuseAccount(server, "System is booting up.", 5)
	connect(t, server)
	assert.Equal(t, 6, server.Connections())
}

// refuseAccount makes a server close its first connections after it has verified the key. The
// server sends a banner before the login, as with sshd's Banner, and then words, as PAM's message.
func refuseAccount(server *sshtest.Server, words string, times int64) {
	var refused atomic.Int64
	server.Configure = func(c *ssh.ServerConfig) {
		if refused.Load() >= times {
			return
		}
		c.BannerCallback = func(ssh.ConnMetadata) string { return "Authorized use only" }
		c.VerifiedPublicKeyCallback = func(conn ssh.ConnMetadata, _ ssh.PublicKey,
			_ *ssh.Permissions, _ string) (*ssh.Permissions, error) {
			refused.Add(1)
			if words != "" {
				_ = conn.(ssh.ServerPreAuthConn).SendAuthBanner(words)
			}
			server.Cut()
			return nil, errUnknown
		}
	}
}

// sshd may ask a slow directory for the keys of each user.
func TestLoginSlowerThanHandshakeTimeoutSucceeds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes longer than a key exchange may")
	}
	t.Parallel()
	server := sshtest.Start(t)
	server.Configure = func(c *ssh.ServerConfig) {
		authenticate := c.PublicKeyCallback
		c.PublicKeyCallback = func(user ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			time.Sleep(11 * time.Second)
			return authenticate(user, key)
		}
	}
	connect(t, server)
	assert.Equal(t, 1, server.Connections())
}

// refusing is an agent that refuses to sign with a key, as when a user declines the prompt of
// `ssh-add -c`.
type refusing struct {
	agent.Agent
	key   ssh.PublicKey
	asked *atomic.Int32
}

func (r refusing) Sign(key ssh.PublicKey, data []byte) (*ssh.Signature, error) {
	if remote.Fingerprint(key) != remote.Fingerprint(r.key) {
		return r.Agent.Sign(key, data)
	}
	r.asked.Add(1)
	return nil, errors.New("declined")
}

func TestAgentThatDeclinesToSignIsAskedOnce(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.Agent = true
	other, _ := sshtest.NewKey(t)
	ring, asked := agent.NewKeyring(), &atomic.Int32{}
	add := func(key []byte) {
		private, err := ssh.ParseRawPrivateKey(key)
		require.NoError(t, err)
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
	}
	add(server.PrivateKey())
	listenAsAgent(t, func(conn net.Conn) {
		_ = agent.ServeAgent(refusing{ring, publicKey(t, server.PrivateKey()), asked}, conn)
	})
	refused := func() {
		t.Helper()
		_, err := remote.Dial(soon(t), target, nil)
		require.ErrorIs(t, err, remote.ErrAgent)
		require.ErrorContains(t, err, "refused to sign with ssh-ed25519 SHA256:")
		require.ErrorContains(t, err, "ssh-add -c")
	}
	refused()
	assert.EqualValues(t, 1, asked.Load())
	add(other)
	refused()

	server.Login = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
		return nil, nil
	}
	client, err := remote.Dial(soon(t), target, nil)
	require.NoError(t, err, "another key of the agent lets in")
	require.NoError(t, client.Close())
}

func TestGreetingOfAnotherProgramIsQuotedInError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n"))
			_ = conn.(*net.TCPConn).CloseWrite()
			time.AfterFunc(time.Second, func() { _ = conn.Close() })
		}
	}()
	key, signer := sshtest.NewKey(t)
	target := remote.Target{Address: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port,
		HostKey: authorized(signer)}
	_, err = remote.Dial(briefly(t), target, key)
	require.ErrorContains(t, err, `answered with "HTTP/1.1 400 Bad Request": another program than sshd`)
	assert.False(t, remote.HasAnswered(err))
}
