package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// fromPulumi runs FromPulumi in a program with these sections, of which some are secret.
func fromPulumi(
	t *testing.T, sections map[string]string, secret ...string,
) (*config.Config, error) {
	t.Helper()
	whole := map[string]string{"kubernetes:context": "other"}
	for section, text := range sections {
		whole["strata:"+section] = text
	}
	return pulumitest.StackFile{}.FromEngine(t, "strata", whole, secret...)
}

func TestFromPulumiReadsStackConfiguration(t *testing.T) {
	cfg, err := fromPulumi(t, good())
	require.NoError(t, err)
	assert.Equal(t, "dev", cfg.Stack)
	assert.Len(t, cfg.Hosts.Nodes, 2)
}

func TestUnknownSectionIsReported(t *testing.T) {
	raw := good()
	raw["metalb"] = `{}`
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, "configuration of stack dev")
	assert.ErrorContains(t, err, "strata:metalb: is not a known section; did you mean metallb?")
}

func TestValuesOfSecretSectionAreNotShown(t *testing.T) {
	raw := good()
	raw["k3s"] = `{"version":"hunter2","disable":["servicelb"],"serverArgs":{"etcd-s3-secret-key":{"a":"hunter2"}},"clusterCIDR":"hunter2"}`
	_, err := fromPulumi(t, raw, "strata:k3s")
	assert.ErrorContains(t, err, `strata:k3s.clusterCIDR: [secret] is not a network`)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestFromPulumiRefusesUnencryptedMirrorPassword(t *testing.T) {
	raw := mirrored(t, "https://me:hunter2@mirror.example.org", "")
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, "strata:artifacts.mirror: has a user or a password in it, and is not encrypted")
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := fromPulumi(t, raw, "strata:artifacts")
	require.NoError(t, err)
	assert.Equal(t, raw["artifacts"], `{"mirror":"`+cfg.Artifacts.Mirror+`","mirrorCA":""}`)
}
