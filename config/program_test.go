package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// programFile writes a stack file in a project that is not named strata.
func programFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Pulumi.dev.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "Pulumi.yaml"),
		[]byte("name: own\nruntime: go\n"), 0o600))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// fromProgram reads a program's stack file.
func fromProgram(path string) (*config.Config, error) {
	return config.OfAnyStack(filepath.Dir(path), "dev", path)
}

func TestProgramStackNeedsNoClusterAndHasNoLayers(t *testing.T) {
	path := programFile(t, "config: {own:port: 80, strata:timeouts: {api: 1m}}\n")
	_, err := config.FromFile(path)
	require.ErrorContains(t, err, "strata:hosts", "Strata's own stack needs one")
	cfg, err := fromProgram(path)
	require.NoError(t, err)
	assert.True(t, cfg.OnExistingCluster())
	assert.Empty(t, cfg.NeededArtifacts())
}

func TestProgramKeysMayHaveSectionNames(t *testing.T) {
	_, err := fromProgram(programFile(t,
		"config: {own:hosts: [a], traefik: big, 'ingress:domain': a.example.org}\n"))
	require.NoError(t, err)
	_, err = fromProgram(programFile(t, "config: {stata:hosts: {}}\n"))
	require.ErrorContains(t, err, "stata:hosts: is not read")
}

func TestProgramStackWithHostsFollowsHostRules(t *testing.T) {
	_, err := fromProgram(programFile(t, "config: {strata:hosts: {subnet: 10.0.0.0/24}}\n"))
	require.ErrorContains(t, err, "strata:hosts.nodes")
}

func TestProgramStackWithLayerFollowsLayerRules(t *testing.T) {
	cfg, err := fromProgram(programFile(t,
		"config: {strata:metallb: {enabled: true, addresses: [10.0.0.1-10.0.0.9]}}\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{config.ArtifactMetalLBChart}, cfg.NeededArtifacts())
	_, err = fromProgram(programFile(t, "config: {strata:metallb: {enabled: true, addresses: [10.0.0.300]}}\n"))
	require.ErrorContains(t, err, "strata:metallb.addresses[0]: 10.0.0.300 is not an address range")
}

func TestUnencryptedSecretSetByProgramIsRefused(t *testing.T) {
	t.Setenv(pulumi.EnvConfig, "{}")
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := config.ForProgram(ctx, func(cfg *config.Config) {
			cfg.CertManager.ACME.ExternalAccount.Key = "hunter2"
		})
		return err
	}, pulumi.WithMocks("own", "dev", &pulumitest.Recorder{}))
	require.ErrorContains(t, err, "strata:certManager.acme.eab.key: is not encrypted; "+
		"run: pulumi config set --secret --path 'strata:certManager.acme.eab.key'")
	assert.NotContains(t, err.Error(), "hunter2")
}

// The addresses may come from the program's other resources, so the stack file needs none.
func TestCheckAddressesValidatesAddressesFromProgram(t *testing.T) {
	cfg, err := fromProgram(programFile(t,
		"config: {strata:metallb: {enabled: true}, strata:cluster: {podNetwork: 10.42.0.0/16}}\n"))
	require.NoError(t, err)
	require.NoError(t, cfg.CheckAddresses([]string{"10.0.0.1-10.0.0.9"}))
	require.ErrorContains(t, cfg.CheckAddresses(nil), "strata:metallb.addresses: is empty")
	require.ErrorContains(t, cfg.CheckAddresses([]string{"10.42.0.1-10.42.0.9"}),
		"overlaps cluster.podNetwork")
}

func TestLaterValuesRefusesValueThatStrataSets(t *testing.T) {
	cfg, err := fromProgram(programFile(t, "config: {}\n"))
	require.NoError(t, err)
	own, err := cfg.LaterValues(config.ArtifactCertManagerChart,
		map[string]any{"webhook": map[string]any{"timeoutSeconds": 12}})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"webhook": map[string]any{"timeoutSeconds": int64(12)}},
		own.Tree)
	_, err = cfg.LaterValues(config.ArtifactCertManagerChart,
		map[string]any{"replicaCount": "hunter2"})
	require.ErrorContains(t, err, "strata:certManager.values.replicaCount: is not for values to set")
	assert.NotContains(t, err.Error(), "hunter2")
}
