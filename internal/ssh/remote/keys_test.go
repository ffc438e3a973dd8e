package remote_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

func TestDecryptKeyIsDeterministic(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for name, private := range map[string]any{"ed25519": ed, "ecdsa": ec, "rsa": rs} {
		t.Run(name, func(t *testing.T) {
			block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("open sesame"))
			require.NoError(t, err)
			sealed := pem.EncodeToMemory(block)
			_, err = remote.DecryptKey(sealed, "")
			require.ErrorIs(t, err, remote.ErrPassphrase)
			_, err = remote.DecryptKey(sealed, "sesame")
			require.ErrorIs(t, err, remote.ErrPassphrase)
			assert.NotContains(t, err.Error(), "sesame")
			open, err := remote.DecryptKey(sealed, "open sesame")
			require.NoError(t, err)
			again, err := remote.DecryptKey(sealed, "open sesame")
			require.NoError(t, err)
			assert.Equal(t, open, again)
			signer, err := ssh.ParsePrivateKey(open)
			require.NoError(t, err)
			want, err := ssh.NewSignerFromKey(private)
			require.NoError(t, err)
			assert.Equal(t, want.PublicKey().Marshal(), signer.PublicKey().Marshal())
		})
	}
}

func TestDecryptKeyLeavesPlainKeyUnchanged(t *testing.T) {
	for _, text := range []string{"no key at all", "# mine\n" + string(newPEM(t))} {
		same, err := remote.DecryptKey([]byte(text), "not asked for")
		require.NoError(t, err)
		assert.Equal(t, text, string(same))
	}
}

func newPEM(t *testing.T) []byte {
	t.Helper()
	key, err := remote.NewKey()
	require.NoError(t, err)
	return key
}

func TestFingerprintsIgnoreSudoPassword(t *testing.T) {
	key, signer := sshtest.NewKey(t)
	list, err := remote.Fingerprints(append(key, remote.SudoPassword("hunter2", "")...))
	require.NoError(t, err)
	assert.Len(t, list, 1)
	assert.Contains(t, list[0], ssh.FingerprintSHA256(signer.PublicKey()))
	none, err := remote.Fingerprints(nil)
	require.NoError(t, err)
	assert.Empty(t, none)
	_, err = remote.Fingerprints([]byte("no key"))
	require.Error(t, err)
}
