package config_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// certificate returns a self-signed certificate in PEM.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}))
}

// mirrored returns a configuration with a mirror and its CA.
func mirrored(t *testing.T, mirror, ca string) map[string]string {
	t.Helper()
	section, err := json.Marshal(map[string]string{"mirror": mirror, "mirrorCA": ca})
	require.NoError(t, err)
	raw := good()
	raw["artifacts"] = string(section)
	return raw
}

func TestMirrorAcceptsHTTPSAddresses(t *testing.T) {
	for _, good := range []string{"https://mirror.example.org", "https://me:hunter2@mirror.example.org:8443/a/b/"} {
		cfg, err := config.Load("dev", mirrored(t, good, certificate(t)), noEnv)
		require.NoError(t, err)
		assert.Equal(t, good, cfg.Artifacts.Mirror)
	}
}

func TestMirrorErrorsHideAddress(t *testing.T) {
	for _, bad := range []string{
		"http://me:hunter2@mirror.example.org", "mirror.example.org/hunter2", "https:///hunter2",
		"https://mirror.example.org/?token=hunter2",
		"https://mirror.example.org/#hunter2", "https://me:hunter2%@mirror.example.org",
		"https://me:hunter2@mirror.example.org:port", "https://mirror.example.org?",
	} {
		_, err := config.Load("dev", mirrored(t, bad, "hunter2"), noEnv)
		require.ErrorContains(t, err, "strata:artifacts.mirror: is not an https URL without a query; write", bad)
		require.ErrorContains(t, err, "strata:artifacts.mirrorCA: is not a certificate in PEM", bad)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestEnvironmentVariableOverridesMirror(t *testing.T) {
	variable := func(name string) string {
		return map[string]string{config.MirrorVariable: "https://me:hunter2@other.example.org"}[name]
	}
	cfg, err := config.Load("dev", mirrored(t, "https://mirror.example.org", ""), variable)
	require.NoError(t, err)
	assert.Equal(t, "https://me:hunter2@other.example.org", cfg.Artifacts.Mirror)
}

// A plain password would be in the repository, and in the history that Pulumi keeps of a stack's
// updates.
func TestStackFileWithUnencryptedMirrorPasswordIsRefused(t *testing.T) {
	const refusal = "strata:artifacts.mirror: has a user or a password in it, and is not " +
		"encrypted; run: pulumi config set --secret"
	for _, plain := range []string{"https://me:hunter2@mirror.example.org", "https://hunter2@mirror.example.org"} {
		_, err := ofFile(t, "  strata:artifacts: {mirror: \""+plain+"\"}\n")
		require.ErrorContains(t, err, refusal)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	cfg, err := ofFile(t, "  strata:artifacts: {mirror: {secure: v1:hunter2}}\n")
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.Artifacts.Mirror)

	t.Setenv(config.MirrorVariable, "https://me:hunter2@mirror.example.org")
	cfg, err = ofFile(t, "  strata:artifacts: {mirror: {secure: v1:hunter2}}\n")
	require.NoError(t, err, "a shell's variable is in no file")
	assert.Equal(t, "https://me:hunter2@mirror.example.org", cfg.Artifacts.Mirror)
}
