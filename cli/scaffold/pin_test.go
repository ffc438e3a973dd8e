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

// known returns the content of a known_hosts file with these keys for a host. A key may begin with
// a marker, such as @revoked.
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
		{"known key", []string{host.HostKey()}, true, ""},
		{"unknown key", nil, false, ""},
		{"second of two known keys of one type", []string{other.HostKey(), host.HostKey()}, true, ""},
		{"first of two known keys of one type", []string{host.HostKey(), other.HostKey()}, true, ""},
		{"changed key", []string{other.HostKey()}, false, "found SHA256:"},
		{"revoked key", []string{"@revoked " + host.HostKey()}, false, "is revoked in"},
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

// If known_hosts has only the host's ECDSA key, that key is pinned, and the login proves that the
// host has it.
func TestKnownHostKeyOfOtherTypeIsPinned(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	key := ecdsaKey(t)
	pin, err := known(t, host, key).pin(t.Context(), Asked{"root", host.Address, host.Port},
		at(host), nil)
	require.NoError(t, err)
	assert.True(t, pin.Known)
	assert.Equal(t, key, pin.Key)
}

// Like ssh, init treats a host as unknown if all known keys of the host are revoked.
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

// A CA's key in known_hosts is no host key. A host with only a CA's line is unknown, and must not
// be reported as reinstalled.
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

// Other programs use ssh's own file as well, so a broken line in it must not stop init.
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
