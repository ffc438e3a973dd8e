package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/bench"
)

const lastBuild = `{"cores": 2, "parts": [
	{"name": "download/k3s", "began": 1, "ended": 9, "processor": 4},
	{"name": "k3s", "began": 9, "ended": 250, "processor": 400.04},
	{"name": "pause", "began": 250, "ended": 251, "processor": 1},
	{"name": "machine-image", "began": 1, "ended": 101, "processor": 95, "beside": true}
], "samples": [{"at": 5, "rest": 9999}, {"at": 51, "rest": 330}, {"at": 151, "rest": 120}]}`

// kept returns a run whose cache folder contains lastBuild as the lab's record of its build.
func kept(t *testing.T) run {
	t.Helper()
	r := run{root: t.TempDir(), cache: t.TempDir(), dir: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(r.cache, "strata"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.cache, "strata", "last-build.json"),
		[]byte(lastBuild), 0o600))
	return r
}

func TestSharesOfProcessorTimeSumToOne(t *testing.T) {
	built, err := kept(t).record()
	require.NoError(t, err)
	found := shares(cost{processor: 1000}, built)
	sum := 0.0
	for _, share := range found {
		sum += share
	}
	assert.InDelta(t, 1, sum, 1e-9)
	assert.InDelta(t, 0.40004, found["k3s"], 1e-9)
	assert.InDelta(t, 0.004, found["downloads"], 1e-9)
	assert.InDelta(t, 0.001, found["small_parts"], 1e-9)
	assert.InDelta(t, 0.49996, found["up"], 1e-9)
}

func TestWriteReplacesSharesOfEarlierFirstUp(t *testing.T) {
	built, err := kept(t).record()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "results.json")
	require.NoError(t,
		bench.Merge(path, []bench.Result{bench.Most("first_up_share/gone", "ratio", 0.5, 0,
			[]float64{1})}))
	require.NoError(t, write(path, cost{processor: 1201, wall: 800, others: 0.2}, built))
	all, err := bench.Read(path)
	require.NoError(t, err)
	met := map[string]bool{}
	for _, r := range all {
		met[r.Name] = r.Met()
	}
	assert.NotContains(t, met, "first_up_share/gone")
	assert.Contains(t, met, "first_up_share/k3s")
	assert.False(t, met["first_up_processor_time"], "20 minutes and a second")
	assert.True(t, met["first_up_wall"])
	// After 51 s, 200 s are left. An estimate of 330 s is half too high, beyond the 30 s of slack.
	assert.False(t, met["first_up_estimate_off"])
	assert.Equal(t, []float64{0, 0.5}, estimates(built), "the first tenth does not count")
}

func TestWriteWeightsKeepsWeightsOfPartsNotBuilt(t *testing.T) {
	built, err := kept(t).record()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "weights.json")
	require.NoError(t, os.WriteFile(path,
		[]byte(`{"vault": {"processor": 200}, "k3s": {"processor": 9}}`), 0o600))
	require.NoError(t, writeWeights(path, built))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.JSONEq(t,
		`{"vault": {"processor": 200}, "k3s": {"processor": 400}, "download/k3s": {"processor": 4}, "pause": {"processor": 1},
		"machine-image": {"processor": 95, "wall": 100}}`, string(text))
}

func TestCommandsOfRunDoNotInheritUsersCaches(t *testing.T) {
	t.Setenv("STRATA_ARTIFACTS", "/somewhere")
	t.Setenv("MAKEFLAGS", "n")
	t.Setenv("GOCACHE", "/users")
	r := run{dir: "/run", cache: "/run/cache"}
	out := r.command(t.Context(), "", "env")
	out.Stdout, out.Dir = nil, t.TempDir()
	text, err := out.Output()
	require.NoError(t, err)
	assert.NotContains(t, string(text), "STRATA_ARTIFACTS")
	assert.NotContains(t, string(text), "MAKEFLAGS")
	for _, want := range []string{"GOCACHE=/run/gocache\n", "GOMODCACHE=/run/modules\n",
		"XDG_CACHE_HOME=/run/cache\n"} {
		assert.Contains(t, string(text), want)
	}
	assert.NotContains(t, string(text), "/users")
}

func TestProcessorTimeIncludesGrandchildren(t *testing.T) {
	spent, err := timed(
		exec.CommandContext(t.Context(), "sh", "-c",
			"sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; sleep 0.5"))
	require.NoError(t, err)
	assert.Greater(t, spent.processor, 0.1)
	assert.Greater(t, spent.wall, spent.processor, "sleep takes no processor")
}

func TestRemoveAllRemovesReadOnlyModuleCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	module := filepath.Join(dir, "modules", "m@v1")
	require.NoError(t, os.MkdirAll(module, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(module, "f"), nil, 0o444))
	require.NoError(t, os.Chmod(module, 0o555))
	require.NoError(t, removeAll(dir))
	assert.NoDirExists(t, dir)
}
