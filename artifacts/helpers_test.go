package artifacts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// entry writes a file into a bundle and returns its manifest entry.
func entry(t *testing.T, bundle, name, version, path, content string) artifacts.Entry {
	t.Helper()
	file := filepath.Join(bundle, path)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
	return artifacts.Entry{
		Name: name, Version: version, Path: path, SHA256: sum(content), Size: int64(len(content)),
		Origin: "stand-in: text for a test",
	}
}

func sum(content string) string {
	digest := sha256.Sum256([]byte(content))
	return hex.EncodeToString(digest[:])
}

func writeManifest(t *testing.T, bundle string, entries ...artifacts.Entry) {
	t.Helper()
	text, err := json.Marshal(artifacts.Manifest{Artifacts: entries})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(bundle, artifacts.ManifestFile), text, 0o644))
}

// bundle returns a bundle folder with all artifacts of stack, and their entries.
func bundle(t *testing.T) (string, []artifacts.Entry) {
	t.Helper()
	dir := t.TempDir()
	entries := []artifacts.Entry{
		entry(t, dir, "k3s", "v1.34.2+k3s1", "k3s/k3s", "binary"),
		entry(t, dir, "k3s-install", "v1.34.2+k3s1", "k3s/install.sh", "#!/bin/sh"),
		entry(t, dir, "k3s-images", "v1.34.2", "images/core.tar", "core"),
		entry(t, dir, "k3s-images", "v0.16.2", "images/metallb.tar.zst", "metallb"),
		entry(t, dir, "metallb-chart", "0.16.2", "charts/metallb-0.16.2.tgz", "chart"),
	}
	entries[3].For = "metallb-chart"
	writeManifest(t, dir, entries...)
	return dir, entries
}

// stack returns a valid configuration with one host; edit changes it.
func stack(t *testing.T, source string, edit func(*config.Config)) *config.Config {
	t.Helper()
	cfg, err := config.Load("test", map[string]string{
		"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","arch":"amd64",
			"nodes":[{"name":"server-1","role":"server","address":"10.10.0.11"}]}`,
		"metallb":   `{"addresses":["10.10.0.200-10.10.0.210"]}`,
		"artifacts": `{"source":"` + source + `"}`,
		// Without cert-manager, the stack has no ingress layer and needs fewer artifacts.
		"certManager": `{"enabled":false}`,
	}, func(string) string { return "" })
	require.NoError(t, err)
	if edit != nil {
		edit(cfg)
	}
	return cfg
}
