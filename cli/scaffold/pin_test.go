package scaffold

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"strata/cli/scaffold/scaffoldtest"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// known returns a known_hosts file with keys for a host. A key may have a marker, which stands
// before it.
func known(t *testing.T, host *scaffoldtest.Host, keys ...string) KnownHosts {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known_hosts")
	var lines strings.Builder
	for _, key := range keys {
		marker := ""
		if strings.HasPrefix(key, "@") {
			marker, key, _ = strings.Cut(key, " ")
			marker += " "
		}
		parsed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(key))
		require.NoError(t, err)
		lines.WriteString(marker +
			knownhosts.Line([]string{knownhosts.Normalize(Asked{"", host.Address,
				host.Port}.String())}, parsed) + "\n")
	}
	require.NoError(t, os.WriteFile(path, []byte(lines.String()), 0o600))
	hosts, err := ReadKnownHosts(path)
	require.NoError(t, err)
	return hosts
}

// at returns the target that logs in to the host.
func at(host *scaffoldtest.Host) remote.Target {
	return remote.Target{Name: host.Address, Address: host.Address, Port: host.Port}
}

// ecdsaKey returns a public key of another type than the hosts have.
func ecdsaKey(t *testing.T) string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	public, err := ssh.NewPublicKey(private.Public())
	require.NoError(t, err)
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
}

func TestHostKeyIsVerifiedAgainstKnownHosts(t *testing.T) {
	host, other := scaffoldtest.New(t, 11), sshtest.New(t)
	asked := Asked{"root", host.Address, host.Port}
	for _, test := range []struct {
		name    string
		lines   []string
		known   bool
		wantErr string
	}{
		{"a known one", []string{host.HostKey()}, true, ""},
		{"one that it does not have", nil, false, ""},
		{"the second of two of a type", []string{other.HostKey(), host.HostKey()}, true, ""},
		{"the first of two of a type", []string{host.HostKey(), other.HostKey()}, true, ""},
		{"another one", []string{other.HostKey()}, false, "found SHA256:"},
		{"a revoked one", []string{"@revoked " + host.HostKey()}, false, "is revoked in"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pin, err := known(t, host, test.lines...).pin(t.Context(), asked, at(host), nil)
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.known, pin.Known)
			assert.Equal(t, host.HostKey(), pin.Key)
			assert.Contains(t, pin.Fingerprint, "ssh-ed25519 SHA256:")
		})
	}
	_, err := known(t, host, other.HostKey()).pin(t.Context(), asked, at(host), nil)
	require.ErrorContains(t, err, "ssh-keygen -R "+host.Address)
	assert.Empty(t, host.Commands(), "nothing is run before the key is known")
}

// If known_hosts has only the host's ECDSA key, the host is still known. That key is pinned, and
// the login proves it.
func TestKnownHostKeyOfOtherTypeIsPinned(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	key := ecdsaKey(t)
	pin, err := known(t, host, key).pin(t.Context(), Asked{"root", host.Address, host.Port},
		at(host), nil)
	require.NoError(t, err)
	assert.True(t, pin.Known)
	assert.Equal(t, key, pin.Key)
}

// The host shows an ed25519 key, and the only known key, of another type, is revoked: ssh refuses
// the host as unknown, and knows no key to ask for.
func TestRevokedKnownKeyIsNotPinned(t *testing.T) {
	host, key, other := scaffoldtest.New(t, 11), ecdsaKey(t), ecdsaKey(t)
	asked := Asked{"root", host.Address, host.Port}
	pin, err := known(t, host, key, "@revoked "+key).pin(t.Context(), asked, at(host), nil)
	require.NoError(t, err)
	assert.False(t, pin.Known)
	assert.Equal(t, host.HostKey(), pin.Key)

	pin, err = known(t, host, key, other, "@revoked "+key).pin(t.Context(), asked, at(host), nil)
	require.NoError(t, err)
	assert.Equal(t, other, pin.Key)
}

// A CA signs the keys of hosts, and its own key belongs to no host. A host with only a signature of
// its CA is unknown. The message must not say that it was reinstalled.
func TestCAKeyIsNotUsedAsHostKey(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	asked := Asked{"root", host.Address, host.Port}
	for _, ca := range []string{sshtest.New(t).HostKey(), ecdsaKey(t)} {
		pin, err := known(t, host, "@cert-authority "+ca).pin(t.Context(), asked, at(host), nil)
		require.NoError(t, err, "a CA's key of the same type is no sign of another machine")
		assert.False(t, pin.Known)
		assert.Equal(t, host.HostKey(), pin.Key)
	}

	own := ecdsaKey(t)
	pin, err := known(t, host, "@cert-authority "+sshtest.New(t).HostKey(), own).pin(t.Context(),
		asked, at(host), nil)
	require.NoError(t, err)
	assert.True(t, pin.Known, "the host's own key is beside the CA's")
	assert.Equal(t, own, pin.Key)

	_, err = known(t, host, "@cert-authority "+ecdsaKey(t), sshtest.New(t).HostKey()).
		pin(t.Context(), asked, at(host), nil)
	require.ErrorContains(t, err, "known_hosts line 2")
}

// ssh's own file is not the stack's: a broken line in it is no reason to write nothing.
func TestBrokenKnownHostsLineIsSkipped(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	own := filepath.Join(t.TempDir(), "known_hosts")
	require.NoError(t, os.WriteFile(own, []byte("<<<<<<< mine\n["+host.Address+"]:"+
		strconv.Itoa(host.Port)+" "+host.HostKey()+"\n"), 0o600))
	hosts, err := ReadKnownHosts("", own)
	require.NoError(t, err)
	require.Len(t, hosts.Warnings, 1)
	assert.Contains(t, hosts.Warnings[0], own+" line 1 cannot be read")
	pin, err := hosts.pin(t.Context(), Asked{"root", host.Address, host.Port}, at(host), nil)
	require.NoError(t, err)
	assert.True(t, pin.Known)
}

func TestExplicitKnownHostsFileMustExist(t *testing.T) {
	_, err := ReadKnownHosts(filepath.Join(t.TempDir(), "gone"))
	require.ErrorContains(t, err, "--known-hosts /dev/null for none")
	_, err = ReadKnownHosts("", filepath.Join(t.TempDir(), "gone"))
	require.NoError(t, err, "ssh's own need not be there")
}
