package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestLocalStackNeedsNoVault(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	lines, err := listArtifacts("../../Pulumi.local.yaml")
	require.NoError(t, err)
	assert.Subset(t, lines, []string{config.ArtifactK3s, config.ArtifactTraefikChart,
		config.ArtifactAPISIXChart})
	assert.NotContains(t, lines, config.ArtifactVaultChart)
	assert.Equal(t, "lab", lines[len(lines)-1])
}

// Only the stacks on the lab's machines use the lab's K3s by default.
func TestOnlyLabStacksUseLabArtifacts(t *testing.T) {
	files, err := filepath.Glob("../../Pulumi.*.yaml")
	require.NoError(t, err)
	require.Contains(t, files, "../../Pulumi.staging.yaml")
	for _, file := range files {
		t.Setenv(config.ArtifactsVariable, "")
		lines, err := listArtifacts(file)
		require.NoError(t, err)
		if name := filepath.Base(file); name == "Pulumi.local.yaml" ||
			name == "Pulumi.rehearsal.yaml" {
			assert.Equal(t, "lab", lines[len(lines)-1], file)
			continue
		}
		assert.Equal(t, []string{config.SourceUpstream}, lines, file)
		t.Setenv(config.ArtifactsVariable, labBundle)
		lines, err = listArtifacts(file)
		require.NoError(t, err)
		assert.Contains(t, lines, config.ArtifactMetalLBChart)
		assert.Equal(t, "lab", lines[len(lines)-1], file)
	}
}

func TestStackWithOtherSourceNeedsNoLabArtifacts(t *testing.T) {
	for _, source := range []string{config.SourceUpstream, "/srv/bundle"} {
		t.Setenv(config.ArtifactsVariable, source)
		lines, err := listArtifacts("../../Pulumi.local.yaml")
		require.NoError(t, err)
		assert.Equal(t, []string{source}, lines)
	}
}

func TestInvalidStackFileIsReportedBeforeBuild(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Pulumi.x.yaml")
	require.NoError(t, os.WriteFile(path,
		[]byte("config: {strata:hosts: {driver: promox}}"), 0o600))
	_, err := listArtifacts(path)
	assert.ErrorContains(t, err, "strata:hosts.driver")
}
