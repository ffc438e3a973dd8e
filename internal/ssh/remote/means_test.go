package remote_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

var errUnknown = errors.New("unknown key")

// certificate makes a file with a certificate for a key.
func certificate(t *testing.T, ca, key ssh.Signer) string {
	t.Helper()
	made := &ssh.Certificate{Key: key.PublicKey(), CertType: ssh.UserCert,
		ValidBefore: ssh.CertTimeInfinity, ValidPrincipals: []string{"root"}}
	require.NoError(t, made.SignCert(rand.Reader, ca))
	file := filepath.Join(t.TempDir(), "key-cert.pub")
	require.NoError(t, os.WriteFile(file, ssh.MarshalAuthorizedKey(made), 0o600))
	return file
}

func TestCertificateIsOfferedBesideKey(t *testing.T) {
	_, ca := sshtest.NewKey(t)
	key, signer := sshtest.NewKey(t)
	server := sshtest.Start(t)
	checker := &ssh.CertChecker{IsUserAuthority: func(auth ssh.PublicKey) bool {
		return bytes.Equal(auth.Marshal(), ca.PublicKey().Marshal())
	}}
	server.Login = checker.Authenticate
	target := server.Target()
	target.Certificates = []string{"/gone-cert.pub", certificate(t, ca, signer)}
	client, err := remote.Dial(soon(t), target, key)
	require.NoError(t, err)
	require.NoError(t, client.Close())

	startAgent(t, key)
	target.Agent = true
	client, err = remote.Dial(soon(t), target, nil)
	require.NoError(t, err, "for a key of the agent, too")
	require.NoError(t, client.Close())

	require.NoError(t, os.WriteFile(target.Certificates[1], []byte("no certificate"), 0o600))
	_, err = remote.Dial(soon(t), target, key)
	require.ErrorContains(t, err, "certificate "+target.Certificates[1]+
		": expected what ssh-keygen -s makes")
}

// sshd accepts the first key, and then requires another one.
func TestNextKeyIsOfferedAfterPartialSuccess(t *testing.T) {
	other, _ := sshtest.NewKey(t)
	first, one := sshtest.NewKey(t)
	second, two := sshtest.NewKey(t)
	server := sshtest.Start(t)
	accept := func(key ssh.Signer, then error) func(ssh.ConnMetadata,
		ssh.PublicKey) (*ssh.Permissions, error) {
		return func(_ ssh.ConnMetadata, shown ssh.PublicKey) (*ssh.Permissions, error) {
			if !bytes.Equal(shown.Marshal(), key.PublicKey().Marshal()) {
				return nil, errUnknown
			}
			return nil, then
		}
	}
	server.Login = accept(one,
		&ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{
			PublicKeyCallback: accept(two, nil)}})
	client, err := remote.Dial(soon(t), server.Target(),
		bytes.Join([][]byte{other, first, second}, nil))
	require.NoError(t, err)
	require.NoError(t, client.Close())

	startAgent(t, second)
	target := server.Target()
	target.Agent = true
	client, err = remote.Dial(soon(t), target, first)
	require.NoError(t, err, "the agent has the second")
	require.NoError(t, client.Close())

	_, err = remote.Dial(soon(t), server.Target(), first)
	require.ErrorIs(t, err, remote.ErrKeyRejected)
	require.ErrorContains(t, err, " took 1 of ssh-ed25519 SHA256:")
	require.ErrorContains(t, err, "asks for publickey besides (AuthenticationMethods)")
}

// sshd counts each offered key as a try, and allows six tries.
func TestIdentityIsOfferedBeforeOtherAgentKeys(t *testing.T) {
	var keys [][]byte
	for range 8 {
		key, _ := sshtest.NewKey(t)
		keys = append(keys, key)
	}
	server := sshtest.Start(t)
	startAgent(t, append(keys, server.PrivateKey())...)
	target := server.Target()
	target.Agent = true
	_, err := remote.Dial(briefly(t), target, nil)
	require.ErrorContains(t, err, "too many authentication failures")

	target.Identities = []string{remote.Fingerprint(publicKey(t, server.PrivateKey()))}
	client, err := remote.Dial(soon(t), target, nil)
	require.NoError(t, err)
	require.NoError(t, client.Close())

	target.Identities, target.IdentitiesOnly = []string{
		remote.Fingerprint(publicKey(t, keys[0]))}, true
	_, err = remote.Dial(soon(t), target, nil)
	require.ErrorIs(t, err, remote.ErrKeyRejected)
	assert.Equal(t, 1, strings.Count(err.Error(), "SHA256:"), "no other key is offered: %v", err)
}

func TestAgentSocketOverridesEnvironment(t *testing.T) {
	server := sshtest.Start(t)
	startAgent(t, server.PrivateKey())
	target := server.Target()
	target.Agent, target.AgentSocket = true, os.Getenv("SSH_AUTH_SOCK")
	t.Setenv("SSH_AUTH_SOCK", "/gone")
	client, err := remote.Dial(soon(t), target, nil)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	target.AgentSocket = "/gone"
	_, err = remote.Dial(soon(t), target, nil)
	require.ErrorContains(t, err, "IdentityAgent is /gone and nothing answers there")
	target.AgentSocket = remote.NoAgent
	_, err = remote.Dial(soon(t), target, nil)
	require.ErrorContains(t, err, "expected PEM, found none")
}

func TestAnyOfSeveralPinnedHostKeysIsAccepted(t *testing.T) {
	server, other := sshtest.Start(t), sshtest.Start(t)
	target := server.Target()
	for _, pins := range []string{other.HostKey() + "\n" + server.HostKey(),
		server.HostKey() + "\n" + other.HostKey() + "\n"} {
		for _, pinned := range []remote.Target{{HostKey: pins}, remote.Target{HostKey: pins}.PinsAsFingerprints()} {
			target.HostKey = pinned.HostKey
			client, err := remote.Dial(soon(t), target, server.PrivateKey())
			require.NoError(t, err)
			require.NoError(t, client.Close())
		}
	}
	target.HostKey = other.HostKey() + "\n" + ecdsaKey(t)
	_, err := remote.Dial(soon(t), target, server.PrivateKey())
	var wrong *remote.HostKeyError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, wrong.Want, " or ecdsa-sha2-nistp256 SHA256:")
}
