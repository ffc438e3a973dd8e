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
	names, err := needed("../../Pulumi.local.yaml")
	require.NoError(t, err)
	assert.Subset(t, names, []string{config.ArtifactK3s, config.ArtifactTraefikChart, config.ArtifactAPISIXChart})
	assert.NotContains(t, names, config.ArtifactVaultChart)
}

func TestAMistakeInTheStacksFileIsToldBeforeAnythingIsBuilt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Pulumi.x.yaml")
	require.NoError(t, os.WriteFile(path, []byte("config: {strata:hosts: {driver: promox}}"), 0o600))
	_, err := needed(path)
	assert.ErrorContains(t, err, "strata:hosts.driver")
}
