package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTimelineWritesRequestedOutputs(t *testing.T) {
	dir := t.TempDir()
	recording := "timeline/testdata/destroy.jsonl"
	code, stdout, stderr := invoke(t, "", "timeline", recording,
		"--svg", filepath.Join(dir, "a.svg"), "--html", filepath.Join(dir, "a.html"), "--metrics",
		filepath.Join(dir, "a.prom"))
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "critical path")
	for name, want := range map[string]string{"a.svg": "<svg", "a.html": "<!doctype html>", "a.prom": "strata_run_success"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, name == "a.prom", info.Mode().Perm()&0o077 != 0,
			"%s: others read metrics only", name)
	}
	code, stdout, _ = invoke(t, "", "timeline", "--json", recording)
	assert.Equal(t, 0, code)
	assert.Contains(t, stdout, `"layers":[`)
	code, _, stderr = invoke(t, "", "timeline", recording, "--svg",
		filepath.Join(dir, "no", "folder.svg"))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "timeline: write ")
	empty := filepath.Join(dir, "empty.jsonl")
	require.NoError(t, os.WriteFile(empty,
		[]byte(`{"at":"2026-01-01T00:00:00Z","graph":{}}`+"\n"), 0o600))
	code, _, stderr = invoke(t, "", "timeline", empty)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "no step of a run is recorded")
}

func TestRecordingIsReadableByOwnerOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs", "up.jsonl")
	code, _, stderr := invoke(t, "", "record", "--stack", "dev", "--output", file, "--", "true")
	assert.Equal(t, 0, code, stderr)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}
