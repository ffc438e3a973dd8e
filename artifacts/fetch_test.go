package artifacts_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// upstream serves files and counts the requests for each file. Tests change the files.
type upstream struct {
	*httptest.Server
	mutex    sync.Mutex
	files    map[string]string
	requests map[string]int
	ranges   []string
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	up := &upstream{requests: map[string]int{}, files: map[string]string{
		"/k3s": strings.Repeat("binary", 1000),
		"/sha256sum-amd64.txt": sum("images") + "  images.tar.zst\n" +
			sum(strings.Repeat("binary", 1000)) + "  k3s\n",
		"/metallb-0.16.2.tgz":   "chart",
		"/sha256sum-broken.txt": sum("something else") + "  k3s\n",
	}}
	up.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up.mutex.Lock()
		defer up.mutex.Unlock()
		up.requests[r.URL.Path]++
		if asked := r.Header.Get("Range"); asked != "" {
			up.ranges = append(up.ranges, asked)
		}
		content, ok := up.files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	}))
	t.Cleanup(up.Close)
	return up
}

func (up *upstream) pins() []config.Pin {
	return []config.Pin{
		{Name: "k3s", Version: "v1", Arch: "amd64", URL: up.URL + "/k3s",
			Sums: up.URL + "/sha256sum-amd64.txt"},
		{Name: "metallb-chart", Version: "0.16.2", URL: up.URL + "/metallb-0.16.2.tgz"},
	}
}

func TestFetchRecordsChecksumsInLock(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	var out bytes.Buffer
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), &out))
	lock, err := artifacts.ReadLock(project)
	require.NoError(t, err)
	require.Len(t, lock.Artifacts, 2)
	assert.Equal(t, artifacts.Locked{
		Name: "k3s", Version: "v1", Arch: "amd64", URL: up.URL + "/k3s",
		SHA256: sum(up.files["/k3s"]), Size: 6000,
	}, lock.Artifacts[0])
	assert.Equal(t, sum("chart"), lock.Artifacts[1].SHA256)
	assert.Contains(t, out.String(), "100%")

	first, err := os.ReadFile(filepath.Join(project, artifacts.LockFile))
	require.NoError(t, err)
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), &out))
	second, err := os.ReadFile(filepath.Join(project, artifacts.LockFile))
	require.NoError(t, err)
	assert.Equal(t, string(first), string(second))
	assert.Equal(t, 1, up.requests["/k3s"], "what is locked and here is not downloaded again")
}

func TestFetchRefusesFileWithOtherChecksumThanUpstreamLists(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	pins := up.pins()[:1]
	pins[0].Sums = up.URL + "/sha256sum-broken.txt"
	err := artifacts.Fetch(t.Context(), project, config.Artifacts{}, pins, &bytes.Buffer{})
	assert.ErrorContains(t, err, up.URL+"/k3s: wrong checksum")
	assert.ErrorContains(t, err, sum("something else"))
	assert.ErrorContains(t, err, sum(up.files["/k3s"]))
	assert.NoFileExists(t, filepath.Join(project, artifacts.LockFile))
}

func TestFetchRefusesChecksumListWithoutFile(t *testing.T) {
	up := newUpstream(t)
	up.files["/sha256sum-amd64.txt"] = sum("images") + "  images.tar.zst\n"
	err := artifacts.Fetch(t.Context(), t.TempDir(), config.Artifacts{}, up.pins(), &bytes.Buffer{})
	assert.ErrorContains(t, err, "lists no sum for k3s")
}

func TestFetchRefusesFileChangedSinceLock(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(),
		&bytes.Buffer{}))
	before, err := os.ReadFile(filepath.Join(project, artifacts.LockFile))
	require.NoError(t, err)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	up.files["/metallb-0.16.2.tgz"] = "another chart"
	err = artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), &bytes.Buffer{})
	assert.ErrorContains(t, err, "/metallb-0.16.2.tgz: wrong checksum")
	after, err := os.ReadFile(filepath.Join(project, artifacts.LockFile))
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

// The lock keeps the sum of a version to which no pin refers any more.
func TestFetchRefusesChangedFileOfFormerlyPinnedVersion(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(),
		io.Discard))
	next := up.pins()
	next[1].Version, next[1].URL = "0.16.3", up.URL+"/metallb-0.16.3.tgz"
	up.files["/metallb-0.16.3.tgz"] = "next chart"
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, next, io.Discard))

	up.files["/metallb-0.16.2.tgz"] = "tampered"
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	require.ErrorContains(t,
		artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), io.Discard),
		"metallb-0.16.2.tgz")
}

func TestFetchRefusesChecksumListChangedSinceLock(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(),
		&bytes.Buffer{}))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	up.files["/k3s"] = "another binary"
	up.files["/sha256sum-amd64.txt"] = sum("another binary") + "  k3s\n"
	err := artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), &bytes.Buffer{})
	assert.ErrorContains(t, err, "strata.lock has sha256 "+sum(strings.Repeat("binary", 1000)))
	assert.ErrorContains(t, err, "now says "+sum("another binary"))
}

func TestFetchResumesInterruptedDownload(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	content := up.files["/k3s"]
	dir, err := artifacts.CacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k3s-v1-amd64-k3s.part"),
		[]byte(content[:4000]), 0o644))
	require.NoError(t, artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(),
		&bytes.Buffer{}))
	assert.Equal(t, []string{"bytes=4000-"}, up.ranges)
}

func TestDownloadGivesUpWithoutProgress(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	asked := 0
	// This server sends only a part of each answer, and ignores ranges.
	up.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(make([]byte, 50000))
		panic(http.ErrAbortHandler)
	})
	pins := up.pins()[:1]
	pins[0].Sums = ""
	start := time.Now()
	err := artifacts.Fetch(t.Context(), project, config.Artifacts{}, pins, io.Discard)
	require.ErrorContains(t, err, "downloading "+up.URL+"/k3s")
	assert.ErrorContains(t, err, "unexpected EOF")
	assert.Less(t, asked, 12)
	assert.Greater(t, time.Since(start), time.Second, "a server in trouble is given time")
}

func TestResumedDownloadWithWrongContentIsDiscarded(t *testing.T) {
	up, project := newUpstream(t), t.TempDir()
	dir, err := artifacts.CacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t,
		os.WriteFile(filepath.Join(dir, "k3s-v1-amd64-k3s.part"),
			bytes.Repeat([]byte("x"), 9000), 0o644))
	err = artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), &bytes.Buffer{})
	assert.ErrorContains(t, err, "wrong checksum")
	require.NoError(t,
		artifacts.Fetch(t.Context(), project, config.Artifacts{}, up.pins(), &bytes.Buffer{}),
		"the next attempt starts afresh")
}

func TestFetchErrorNamesURLOfMissingFile(t *testing.T) {
	up := newUpstream(t)
	delete(up.files, "/k3s")
	err := artifacts.Fetch(t.Context(), t.TempDir(), config.Artifacts{}, up.pins(), &bytes.Buffer{})
	assert.ErrorContains(t, err, up.URL+"/k3s")
	assert.ErrorContains(t, err, "404")
}

func TestResolveWithoutLockSuggestsStrataFetch(t *testing.T) {
	cfg := stack(t, config.SourceUpstream,
		func(cfg *config.Config) { cfg.Hosts.Driver = config.DriverExisting })
	_, err := artifacts.Resolve(cfg, t.TempDir())
	assert.ErrorContains(t, err, "run `strata fetch`")
	assert.ErrorContains(t, err, "k3s "+config.K3sVersion+" amd64")
	assert.NotContains(t, err.Error(), "arm64")
}

func TestMaterialiseTakesUpstreamArtifactsFromCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	cfg := stack(t, config.SourceUpstream,
		func(cfg *config.Config) { cfg.Hosts.Driver = config.DriverExisting })
	lock := &artifacts.Lock{}
	for _, pin := range cfg.Pins() {
		lock.Artifacts = append(lock.Artifacts, artifacts.Locked{
			Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL,
			SHA256: sum("elsewhere"), Size: 9,
		})
	}
	require.NoError(t, lock.Write(project))
	set, err := artifacts.Resolve(cfg, project)
	require.NoError(t, err)
	chart, err := set.Get(config.ArtifactMetalLBChart)
	require.NoError(t, err)
	assert.Equal(t, config.MetalLBChartVersion, chart.Version)
	assert.Contains(t, chart.Origin, "real: https://github.com/metallb/")

	dir, err := artifacts.CacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, artifact := range set.Artifacts() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, artifact.FileName()),
			[]byte("elsewhere"), 0o644))
	}
	require.NoError(t, set.Materialise(t.Context()))
	assert.FileExists(t, filepath.Join(project, chart.Path))
}
