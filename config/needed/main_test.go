package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestLocalNeedsNoVault(t *testing.T) {
	names, err := needed("../../Pulumi.local.yaml", false)
	require.NoError(t, err)
	assert.Subset(t, names, []string{config.ArtifactK3s, config.ArtifactTraefikChart, config.ArtifactAPISIXChart, config.ArtifactMachineImage})
	assert.NotContains(t, names, config.ArtifactVaultChart)
}

func TestWhoTakesTheRestFromUpstreamNeedsMachinesOnly(t *testing.T) {
	for file, want := range map[string][]string{"local": {config.ArtifactMachineImage}, "staging": nil} {
		names, err := needed("../../Pulumi."+file+".yaml", true)
		require.NoError(t, err)
		assert.Equal(t, want, names, file)
	}
}

func TestAMistakeInTheStacksFileIsToldBeforeAnythingIsBuilt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Pulumi.x.yaml")
	require.NoError(t, os.WriteFile(path, []byte("config: {strata:hosts: {driver: machines}}"), 0o600))
	_, err := needed(path, false)
	assert.ErrorContains(t, err, "strata:hosts.driver")
}
