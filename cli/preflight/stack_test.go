package preflight

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
	"strata/health"
)

func stack(t *testing.T) *config.Config {
	t.Helper()
	cfg, err := config.Load("test", map[string]string{
		"hosts":   `{"driver":"existing","subnet":"10.10.0.0/24","arch":"amd64","nodes":[{"name":"server-1","role":"server","address":"10.10.0.11"}]}`,
		"metallb": `{"addresses":["10.10.0.200-10.10.0.210"]}`, "certManager": `{"enabled":false}`,
	}, func(string) string { return "" })
	require.NoError(t, err)
	return cfg
}

// K3s fixes some settings when a cluster is created, and only servers store them.
func TestOnlyServersCheckFixedK3sSettings(t *testing.T) {
	cfg := stack(t)
	assert.Equal(t, cfg.K3s.CriticalValues(), hostNeeds(cfg, config.RoleServer, "v1.34.2+k3s1").Fixed)
	assert.Nil(t, hostNeeds(cfg, config.RoleAgent, "v1.34.2+k3s1").Fixed)
	assert.Equal(t, "v1.34.2+k3s1", hostNeeds(cfg, config.RoleAgent, "v1.34.2+k3s1").K3s)
}

func TestPreflightProbesOnlyFirst256PoolAddresses(t *testing.T) {
	cfg := stack(t)
	found := poolAddresses(cfg)
	require.Len(t, found, 11)
	assert.Equal(t, "10.10.0.210", found[10].String())
	cfg.MetalLB.Addresses = []string{"no range", "10.20.0.0/16"}
	found = poolAddresses(cfg)
	require.Len(t, found, maxPoolProbes)
	assert.Equal(t, "10.20.0.255", found[maxPoolProbes-1].String())
}

func TestPreflightUsesK3sVersionOfUpdate(t *testing.T) {
	cfg, project := stack(t), t.TempDir()
	cfg.K3s.Version = "v1.35.1+k3s1"
	assert.Equal(t, "v1.35.1+k3s1", wantedK3s(cfg, project))
	cfg.K3s.Version, cfg.Artifacts.Source = "", "bundle"
	assert.Empty(t, wantedK3s(cfg, project), "up says that there is no bundle")
	var manifest artifacts.Manifest
	for _, name := range cfg.NeededArtifacts() {
		manifest.Artifacts = append(manifest.Artifacts, artifacts.Entry{
			Name: name, Version: "v1.34.2+k3s1", Path: name, SHA256: strings.Repeat("0", 64),
			Origin: "stand-in: none",
		})
	}
	text, err := json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(project, "bundle"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(project, "bundle", artifacts.ManifestFile),
		text, 0o600))
	assert.Equal(t, "v1.34.2+k3s1", wantedK3s(cfg, project))
}

func TestPreflightSkipsHostsCreatedByUpdate(t *testing.T) {
	assert.Equal(t, health.Skipped, madeByUp(stack(t)).State)
}
