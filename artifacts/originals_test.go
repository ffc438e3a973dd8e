package artifacts_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// pinnedHere returns the pins for amd64, and those of the plugins for this machine.
func pinnedHere(t *testing.T, cfg config.Config) []config.Pin {
	t.Helper()
	plugins, err := artifacts.PluginPins("..", runtime.GOARCH)
	require.NoError(t, err)
	pins := slices.DeleteFunc(cfg.Pins(),
		func(pin config.Pin) bool { return pin.Arch != "" && pin.Arch != "amd64" })
	return append(pins, plugins...)
}

// withPlugins gives the mirror the archives of plugins, in the layout of their releases.
func (m *mirror) withPlugins(t *testing.T, pins []config.Pin) *mirror {
	t.Helper()
	for _, pin := range pins {
		if !strings.HasPrefix(pin.Name, "pulumi-") {
			continue
		}
		var archive bytes.Buffer
		zipped := gzip.NewWriter(&archive)
		writer := tar.NewWriter(zipped)
		for name, text := range map[string]string{"README.md": "read me", pin.Name: "program " + pin.Name} {
			require.NoError(t, writer.WriteHeader(&tar.Header{
				Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644,
				ModTime: time.Unix(1700000000, 0),
			}))
			_, err := io.WriteString(writer, text)
			require.NoError(t, err)
		}
		require.NoError(t, writer.Close())
		require.NoError(t, zipped.Close())
		m.files[below(pin.URL)] = archive.String()
	}
	return m
}

// fill calls Originals for a folder, with the mirror and without a project's lock.
func (m *mirror) fill(t *testing.T, dir string, pins []config.Pin) (artifacts.Filled, error) {
	t.Helper()
	return artifacts.Originals(t.Context(), dir, &artifacts.Lock{}, m.from(mirrorPassword), pins,
		io.Discard)
}

// contents returns the text of each file in a folder, without hidden files and the lock.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := map[string]string{}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || entry.Name() == artifacts.LockFile {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		found[entry.Name()] = string(text)
	}
	return found
}

func TestOriginalsDownloadsEachPinOnce(t *testing.T) {
	pins := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, pins).withPlugins(t, pins), t.TempDir()
	filled, err := m.fill(t, dir, pins)
	require.NoError(t, err)
	require.NoError(t, filled.Missing)
	assert.Len(t, filled.Names, len(pins))
	found := contents(t, dir)
	assert.Len(t, found, len(pins))
	for _, pin := range pins {
		for _, name := range []string{
			"k3s-" + config.K3sVersion, "k3s-images-" + config.K3sVersion + ".tar.zst",
			"k3s-install-" + config.K3sVersion + ".sh",
			"metallb-chart-" + config.MetalLBChartVersion + ".tgz",
			"traefik-crds-" + config.TraefikVersion + ".yaml",
			"gateway-api-crds-" + config.GatewayAPIVersion + ".yaml",
		} {
			if strings.HasPrefix(name, pin.Name+"-v") || strings.HasPrefix(name, pin.Name+"-0") {
				assert.Equal(t, "content of "+pin.URL, found[name],
					"the name by which the lab knows it")
			}
		}
	}
	const plugin = "pulumi-resource-command-v1.2.1"
	assert.Equal(t, "program pulumi-resource-command", found[plugin])
	info, err := os.Stat(filepath.Join(dir, plugin))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())

	before := len(m.asked)
	_, err = m.fill(t, dir, pins)
	require.NoError(t, err)
	assert.Len(t, m.asked, before, "what is here is not asked for")
	assert.Equal(t, found, contents(t, dir))
}

// The lab (tests/lab) computes the sums in its manifest from the files in the folder. So only
// Originals can detect a changed file.
func TestOriginalsReplacesFileChangedInFolder(t *testing.T) {
	pins := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, pins).withPlugins(t, pins), t.TempDir()
	_, err := m.fill(t, dir, pins)
	require.NoError(t, err)
	found := contents(t, dir)
	for _, name := range []string{"k3s-" + config.K3sVersion, "pulumi-resource-command-v1.2.1"} {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("x", len(found[name]))), 0o755))
		require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()),
			"as a copy that went wrong may have it")
	}
	_, err = m.fill(t, dir, pins)
	require.NoError(t, err)
	assert.Equal(t, found, contents(t, dir))
}

func TestOriginalsOmitsK3sFilesWhenInstallScriptIsMissing(t *testing.T) {
	pins := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, pins).withPlugins(t, pins), t.TempDir()
	for _, pin := range pins {
		if pin.Name == config.ArtifactK3sInstall {
			delete(m.files, below(pin.URL))
		}
	}
	filled, err := m.fill(t, dir, pins)
	require.NoError(t, err)
	require.ErrorContains(t, filled.Missing, "fetch k3s-install")
	assert.Len(t, filled.Names, len(pins)-3)
	for name := range contents(t, dir) {
		assert.NotRegexp(t, "^k3s-", name, "no K3s without its own script")
	}
}

func TestOriginalsFailsOnWrongChecksum(t *testing.T) {
	pins := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, pins).withPlugins(t, pins), t.TempDir()
	delete(m.files, below(pins[0].URL))
	chart := pins[slices.IndexFunc(pins,
		func(pin config.Pin) bool { return pin.Name == config.ArtifactMetalLBChart })]
	known := &artifacts.Lock{
		Artifacts: []artifacts.Locked{
			{Name: chart.Name, Version: chart.Version, URL: chart.URL, SHA256: sum("another")}}}
	_, err := artifacts.Originals(t.Context(), dir, known, m.from(mirrorPassword), pins, io.Discard)
	require.ErrorContains(t, err, "wrong checksum: expected sha256 "+sum("another"))
	assert.Empty(t, contents(t, dir))
}

func TestOriginalsRemovesOldVersionOnlyAfterNewDownload(t *testing.T) {
	old := pinnedHere(t, config.Config{MetalLB: config.MetalLB{ChartVersion: "0.16.1"}})
	next := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, append(old, next...)).withPlugins(t, old), t.TempDir()
	_, err := m.fill(t, dir, old)
	require.NoError(t, err)
	at := slices.IndexFunc(next, func(pin config.Pin) bool {
		return pin.Name == config.ArtifactMetalLBChart
	})
	served := m.files[below(next[at].URL)]
	delete(m.files, below(next[at].URL))
	_, err = m.fill(t, dir, next)
	require.NoError(t, err)
	assert.Contains(t, contents(t, dir), "metallb-chart-0.16.1.tgz",
		"as long as nothing better is there")

	m.files[below(next[at].URL)] = served
	_, err = m.fill(t, dir, next)
	require.NoError(t, err)
	assert.NotContains(t, contents(t, dir), "metallb-chart-0.16.1.tgz")
	assert.Contains(t, contents(t, dir), "metallb-chart-"+config.MetalLBChartVersion+".tgz")
}

func TestOriginalsKeepsUsersK3sAndDownloadsNoOther(t *testing.T) {
	pins := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, pins).withPlugins(t, pins), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k3s-v1.34.2+k3s1"),
		[]byte("built from source"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "images.txt"), nil, 0o600))
	filled, err := m.fill(t, dir, pins)
	require.NoError(t, err)
	assert.Equal(t, []string{"k3s-v1.34.2+k3s1"}, filled.Left)
	found := contents(t, dir)
	assert.Equal(t, "built from source", found["k3s-v1.34.2+k3s1"])
	assert.NotContains(t, found, "k3s-"+config.K3sVersion)
	assert.NotContains(t, found, "k3s-images-"+config.K3sVersion+".tar.zst",
		"the images are another K3s's")
	assert.Contains(t, found, "metallb-chart-"+config.MetalLBChartVersion+".tgz")
}

// Without a network, the first update must not wait for each of a dozen files.
func TestOriginalsRequestsFailingHostOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var asked atomic.Int32
	silent := httptest.NewUnstartedServer(
		http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			panic(http.ErrAbortHandler) // hangs up
		}))
	silent.Start()
	t.Cleanup(silent.Close)
	var pins []config.Pin
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		pins = append(pins, config.Pin{Name: name, Version: "1", URL: silent.URL + "/" + name})
	}
	dir := t.TempDir()
	filled, err := artifacts.Originals(t.Context(), dir, &artifacts.Lock{}, config.Artifacts{},
		pins, io.Discard)
	require.NoError(t, err)
	assert.Empty(t, filled.Names)
	assert.EqualValues(t, 1, asked.Load())
	assert.ErrorContains(t, filled.Missing,
		"downloading from "+strings.TrimPrefix(silent.URL, "http://"))
	assert.Empty(t, contents(t, dir))
}

// If an interrupt counted as a failed download, the caller would build everything from source
// although the user wanted to stop.
func TestOriginalsReturnsErrorWhenInterrupted(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			return
		}
		interrupt()
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	pins, dir := []config.Pin{{Name: "a", Version: "1", URL: slow.URL + "/a"}}, t.TempDir()
	_, err := artifacts.Originals(ctx, dir, &artifacts.Lock{}, config.Artifacts{}, pins, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, contents(t, dir))
	assert.NoFileExists(t, filepath.Join(dir, artifacts.LockFile))
}

func TestConcurrentOriginalsRunsDownloadEachFileOnce(t *testing.T) {
	pins := pinnedHere(t, config.Config{})
	m, dir := newMirror(t, pins).withPlugins(t, pins), t.TempDir()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			filled, err := artifacts.Originals(t.Context(), dir, &artifacts.Lock{},
				m.from(mirrorPassword), pins, io.Discard)
			assert.NoError(t, err)
			assert.NoError(t, filled.Missing)
		})
	}
	both.Wait()
	assert.Len(t, contents(t, dir), len(pins))
	gets := slices.DeleteFunc(slices.Clone(m.asked),
		func(path string) bool { return path != below(pins[0].URL) })
	assert.LessOrEqual(t, len(gets), 2, "one question and one download: the second found all here")
}
