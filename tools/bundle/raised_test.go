package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// release returns an archive of Pulumi's command line with a language host, or of a plugin. Each
// program in it contains its own name and the archive's name.
func release(url string) []byte {
	var content bytes.Buffer
	zipped := gzip.NewWriter(&content)
	writer := tar.NewWriter(zipped)
	plugin, _, _ := strings.Cut(path.Base(url), "-v")
	for _, name := range []string{plugin, "pulumi-language-go"} {
		text := name + " of " + path.Base(url)
		// A write to memory cannot fail.
		_ = writer.WriteHeader(
			&tar.Header{Name: "pulumi/" + name, Typeflag: tar.TypeReg, Size: int64(len(text)),
				Mode: 0o755})
		_, _ = io.WriteString(writer, text)
	}
	_, _ = writer.Close(), zipped.Close()
	return content.Bytes()
}

// mirror serves releases of Pulumi, the checksums of its command line, and a text for each chart.
func mirror(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name := path.Base(r.URL.Path); {
		case strings.HasSuffix(name, "-checksums.txt"):
			version := strings.TrimSuffix(strings.TrimPrefix(name, "pulumi-"), "-checksums.txt")
			for _, arch := range []string{"x64", "arm64"} {
				archive := "pulumi-v" + version + "-linux-" + arch + ".tar.gz"
				// If a write fails, the client gets a truncated file.
				_, _ = fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(release(archive)), archive)
			}
		case strings.HasPrefix(name, "pulumi-"):
			_, _ = w.Write(release(name))
		default:
			_, _ = io.WriteString(w, "content of "+name)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// carried is a project that is bundled into one folder several times. Its stack is on an existing
// cluster with one version of MetalLB. The project's go.mod has the versions of Pulumi and a
// plugin.
type carried struct {
	t            *testing.T
	project, dir string
	mirror       *httptest.Server
}

func newCarried(t *testing.T) *carried {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, variable := range []string{config.ArtifactsVariable, config.MachineImageVariable} {
		t.Setenv(variable, "") // a run sets these variables
	}
	return &carried{t, t.TempDir(), filepath.Join(t.TempDir(), "bundle"), mirror(t)}
}

// bundle fills the folder like `strata bundle make`, but without images and the compiled program.
func (c *carried) bundle(cli, plugin, chart string) {
	c.t.Helper()
	b := c.begin(cli, plugin, chart)
	require.NoError(c.t, b.finish())
	require.NoError(c.t, b.close())
}

// begin makes a bundle up to its last step, finish.
func (c *carried) begin(cli, plugin, chart string) *bundle {
	c.t.Helper()
	mod := "module x\n\nrequire (\n\tgithub.com/pulumi/pulumi-command/sdk v" + plugin +
		"\n\tgithub.com/pulumi/pulumi/sdk/v3 v" + cli + "\n)\n"
	require.NoError(c.t, os.WriteFile(filepath.Join(c.project, "go.mod"), []byte(mod), 0o600))
	file := filepath.Join(c.project, "Pulumi.test.yaml")
	ca, err := json.Marshal(
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: c.mirror.Certificate().Raw})))
	require.NoError(c.t, err)
	metallb := "{enabled: false}"
	if chart != "" {
		metallb = "{addresses: [10.0.0.1-10.0.0.9], chartVersion: " + chart + "}"
	}
	require.NoError(c.t,
		os.WriteFile(file,
			[]byte("config:\n  strata:cluster: {context: x, podNetwork: 10.244.0.0/16, serviceNetwork: 10.96.0.0/16}\n"+
				"  strata:artifacts: {mirror: '"+c.mirror.URL+"', mirrorCA: "+string(ca)+
				"}\n  strata:certManager: {enabled: false}\n  strata:ingress: {controllers: []}\n"+
				"  strata:argocd: {enabled: false}\n  strata:metallb: "+metallb+"\n"), 0o600))
	b, err := open(c.t.Context(), c.project, "test", file, c.dir)
	require.NoError(c.t, err)
	b.out = io.Discard
	require.NoError(c.t, b.downloads(c.t.Context()))
	require.NoError(c.t, b.pulumi())
	return b
}

// has returns the folder's files, except those that every bundle has.
func (c *carried) has() (files []string) {
	c.t.Helper()
	require.NoError(c.t, filepath.WalkDir(c.dir,
		func(file string, entry os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(c.dir, file)
			if slices.Contains([]string{filesFolder + "/" + artifacts.LockFile,
				artifacts.ManifestFile,
				sumsFile},
				name) || strings.HasPrefix(entry.Name(), ".") {
				return err // hidden files record when a checksum was computed
			}
			if !entry.IsDir() || strings.HasPrefix(entry.Name(), "resource-") {
				files = append(files, name)
			}
			return err
		}))
	return files
}

func (c *carried) text(file string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, file))
	require.NoError(c.t, err)
	return string(text)
}

// The versions of Pulumi's command line, a plugin and a chart are raised, and lowered again.
func TestBundleIsUpdatedAfterVersionChange(t *testing.T) {
	c := newCarried(t)
	for _, versions := range []struct{ cli, plugin, chart string }{
		{"3.250.0", "1.2.0", "0.15.0"}, {"3.250.0", "1.2.0", "0.15.0"},
		{"3.251.0", "1.2.1", "0.15.1"},
		{"3.250.0", "1.2.0", ""}, {"3.251.0", "1.2.1", "0.15.0"},
	} {
		c.bundle(versions.cli, versions.plugin, versions.chart)
		plugin := "pulumi/plugins/resource-command-v" + versions.plugin
		want := []string{"pulumi/bin/pulumi", "pulumi/bin/pulumi-language-go", plugin,
			plugin + "/pulumi-resource-command"}
		if versions.chart != "" {
			want = append([]string{"files/metallb-chart-" + versions.chart + ".tgz"}, want...)
		}
		assert.Equal(t, want, c.has(), "%v: what is superseded goes", versions)
		machine := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
		assert.Equal(t, "pulumi of pulumi-v"+versions.cli+"-linux-"+machine+".tar.gz",
			c.text("pulumi/bin/pulumi"))
		require.NoError(t, artifacts.VerifyBundle(c.dir, io.Discard))
		lock, err := artifacts.ReadLock(filepath.Join(c.dir, filesFolder))
		require.NoError(t, err)
		var locked []string
		for _, one := range lock.Artifacts {
			locked = append(locked, one.Name+" "+strings.TrimPrefix(one.Version, "v"))
		}
		expected := []string{"pulumi " + versions.cli, "pulumi-resource-command " + versions.plugin}
		if versions.chart != "" {
			expected = append([]string{"metallb-chart " + versions.chart}, expected...)
		}
		assert.Equal(t, expected, locked, "%v: the folder's lock is of what it has", versions)
	}
	lock, err := artifacts.ReadLock(c.project)
	require.NoError(t, err)
	assert.Len(t, lock.Artifacts, 6, "the project's keeps the sums of earlier versions")
}

// An interrupted run has already written a manifest that lacks the folder's previous files.
func TestBundleRemovesLeftoversOfInterruptedRun(t *testing.T) {
	c := newCarried(t)
	c.bundle("3.250.0", "1.2.0", "0.15.0")
	b := c.begin("3.251.0", "1.2.1", "0.15.1")
	require.NoError(t, b.write())
	require.NoError(t, b.close())
	c.bundle("3.251.0", "1.2.2", "0.15.2")
	const plugin = "pulumi/plugins/resource-command-v1.2.2"
	assert.Equal(t, []string{
		"files/metallb-chart-0.15.2.tgz", "pulumi/bin/pulumi",
		"pulumi/bin/pulumi-language-go", plugin,
		plugin + "/pulumi-resource-command",
	}, c.has())
	assert.NoDirExists(t, filepath.Join(c.dir, unfinishedFolder))
}
