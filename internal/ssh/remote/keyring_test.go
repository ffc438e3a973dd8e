package remote_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// sshd counts each offered key as a try, and allows six tries.
func TestHostIsOfferedOnlyItsOwnKeysOfJoinedKeyring(t *testing.T) {
	var rings []remote.Keyring
	for i := range 9 {
		key, _ := sshtest.NewKey(t)
		rings = append(rings, remote.Keyring{Host: fmt.Sprintf("agent-%d", i), Text: string(key)})
	}
	server := sshtest.Start(t)
	rings = append(rings, remote.Keyring{Host: "server-1", Text: string(server.PrivateKey())})
	target := server.Target()
	target.Name = "server-1"
	client, err := remote.Dial(soon(t), target, []byte(remote.JoinKeyrings(rings)))
	require.NoError(t, err)
	require.NoError(t, client.Close())

	target.Name = "agent-1"
	_, err = remote.Dial(soon(t), target, []byte(remote.JoinKeyrings(rings)))
	require.ErrorIs(t, err, remote.ErrKeyRejected, "another host's key is not offered")
}

func TestJoinedKeyringsHaveEachKeyAndPasswordOnce(t *testing.T) {
	shared, _ := sshtest.NewKey(t)
	own, _ := sshtest.NewKey(t)
	password := string(remote.SudoPassword("hunter2", ""))
	joined := remote.JoinKeyrings(
		[]remote.Keyring{{"a", string(shared) + password},
			{"b", string(shared) + string(own) + password}})
	assert.Equal(t, 2, strings.Count(joined, "BEGIN PRIVATE KEY")+
		strings.Count(joined, "BEGIN OPENSSH PRIVATE KEY"))
	assert.Equal(t, 1, strings.Count(joined, "STRATA SUDO PASSWORD")/2)
	assert.Equal(t, 1, strings.Count(joined, "Hosts: b"))
	fingerprints, err := remote.Fingerprints([]byte(joined))
	require.NoError(t, err)
	assert.Len(t, fingerprints, 2)
}

func TestJoinKeyringsReturnsTextThatAllHostsShare(t *testing.T) {
	for _, text := range []string{"", "a key\n"} {
		assert.Equal(t, text, remote.JoinKeyrings([]remote.Keyring{{"a", text}, {"b", text}}))
	}
	assert.Empty(t, remote.JoinKeyrings(nil))
}

func TestFirstContactSendsNoSudoPassword(t *testing.T) {
	impostor := sshtest.Start(t)
	impostor.User = "strata"
	target := impostor.Target()
	target.HostKey = ""
	key := bytes.Join([][]byte{impostor.PrivateKey(), remote.SudoPassword("hunter2", "")}, nil)
	_, err := remote.Dialer{PrivateKey: key}.FirstContact(soon(t), target)
	var unpinned *remote.UnpinnedError
	require.ErrorAs(t, err, &unpinned)
	assert.Contains(t, err.Error(), "SHA256:")
	assert.Contains(t, err.Error(), "hosts.nodes[].ssh.hostKey: "+impostor.HostKey())
	assert.Empty(t, impostor.Commands())

	pinned, err := remote.Dialer{PrivateKey: impostor.PrivateKey()}.FirstContact(soon(t), target)
	require.NoError(t, err)
	assert.Equal(t, impostor.HostKey(), pinned.HostKey)
}

// ssh also refuses a revoked key without a pin, even with StrictHostKeyChecking accept-new.
func TestRevokedHostKeyIsRefused(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(server.HostKey()))
	require.NoError(t, err)
	target.Revoked = []string{remote.Fingerprint(key)}
	_, err = remote.Dial(soon(t), target, server.PrivateKey())
	require.ErrorContains(t, err, remote.Fingerprint(key)+", is revoked")
	assert.Zero(t, server.Connections(), "a pin from the state is refused before the login")

	target.HostKey = ""
	_, err = remote.Dialer{}.FirstContact(soon(t), target)
	require.ErrorContains(t, err, remote.Fingerprint(key)+", is revoked")
	input := remote.ScanInput{Address: target.Address, Port: target.Port, Revoked: target.Revoked}
	_, err = remote.Dialer{}.Scan(soon(t), input.Target())
	require.ErrorContains(t, err, "is revoked")
	target.Revoked = []string{"ssh-ed25519 SHA256:another"}
	_, err = remote.Dialer{}.FirstContact(soon(t), target)
	require.NoError(t, err)
}

func TestLongStderrIsTruncatedToItsEnd(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		for range 3000 {
			_, _ = io.WriteString(call.Stderr, strings.Repeat("x", 1023)+"\n")
		}
		_, _ = io.WriteString(call.Stderr, "the cause\n")
		return 1
	}
	result, err := connect(t, server).Run(soon(t), "true", nil)
	require.ErrorContains(t, err, "the cause")
	assert.LessOrEqual(t, len(result.Stderr), 64<<10)
}
