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
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// network is a mirror of everything, except addresses that contain gone; asked counts its requests.
type network struct {
	*httptest.Server
	mutex sync.Mutex
	gone  string
	asked int
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	n := &network{}
	n.Server = httptest.NewTLSServer(n)
	t.Cleanup(n.Close)
	return n
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.asked++
	switch name := path.Base(r.URL.Path); {
	case n.gone != "" && strings.Contains(r.URL.Path, n.gone):
		http.NotFound(w, r)
	case strings.HasPrefix(name, "pulumi-resource-"):
		plugin, _, _ := strings.Cut(name, "-v")
		_, _ = w.Write(archiveOf(plugin)) // a client that hangs up sees it
	case strings.HasPrefix(name, "sha256sum-"):
		for _, file := range []string{"k3s", "k3s-airgap-images-amd64.tar.zst"} {
			_, _ = fmt.Fprintf(w, "%x  %s\n", sha256.Sum256([]byte("content of "+file)), file)
		}
	default:
		_, _ = io.WriteString(w, "content of "+name)
	}
}

// archiveOf returns a release of a plugin.
func archiveOf(plugin string) []byte {
	var content bytes.Buffer
	zipped := gzip.NewWriter(&content)
	writer := tar.NewWriter(zipped)
	// into memory
	_ = writer.WriteHeader(&tar.Header{Name: plugin, Typeflag: tar.TypeReg, Size: int64(len(plugin)), Mode: 0o755})
	_, _ = io.WriteString(writer, plugin)
	_, _ = writer.Close(), zipped.Close()
	return content.Bytes()
}

// chosenStack is a stack on existing hosts, with MetalLB, whose downloads come from a network.
type chosenStack struct {
	t *testing.T
	request
	network *network
}

func newChosenStack(t *testing.T) *chosenStack {
	t.Helper()
	t.Chdir("../..")
	t.Setenv(config.ArtifactsVariable, "")
	dir := t.TempDir()
	s := &chosenStack{t,
		request{stackFile: filepath.Join(dir, "Pulumi.dev.yaml"), into: filepath.Join(dir, "originals"),
			list: filepath.Join(dir, "stacks/list"), pending: filepath.Join(dir, "stacks/pending")}, newNetwork(t)}
	s.configure("")
	return s
}

// configure writes the stack's file with another line.
func (s *chosenStack) configure(line string) {
	s.t.Helper()
	ca, err := json.Marshal(
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.network.Certificate().Raw})))
	require.NoError(s.t, err)
	text := "config:\n  strata:hosts: {driver: existing, arch: amd64, subnet: 10.10.0.0/24, nodes: [{name: a, role: server, address: 10.10.0.11}]}\n" +
		"  strata:artifacts: {mirror: '" + s.network.URL + "', mirrorCA: " + string(ca) + "}\n" +
		"  strata:ingress: {controllers: []}\n  strata:argocd: {enabled: false}\n"
	if !strings.Contains(line, "certManager") {
		line += "\n  strata:certManager: {enabled: false}"
	}
	if !strings.Contains(line, "metallb") {
		line += "\n  strata:metallb: {addresses: [10.10.0.200-10.10.0.210]}"
	}
	require.NoError(s.t, os.WriteFile(s.stackFile, []byte(text+"  "+strings.TrimSpace(line)+"\n"), 0o600))
}

// up fills the folder as a starting update does, in a network where some addresses are gone. It
// returns the folder's files, the log and the error.
func (s *chosenStack) up(isUp bool, gone string) (files string, said string, err error) {
	s.t.Helper()
	files, said, err = s.call(s.request, isUp, gone)
	if err == nil {
		require.NoError(s.t, os.Rename(s.pending, s.list), "as hack/artifacts keep")
	}
	return files, said, err
}

// call fills a folder and deploys nothing.
func (s *chosenStack) call(r request, isUp bool, gone string) (files string, said string, err error) {
	s.t.Helper()
	r.isUp, s.network.gone, s.network.asked = isUp, gone, 0
	var log bytes.Buffer
	err = r.fill(s.t.Context(), io.Discard, &log)
	return s.files(r.into), log.String(), err
}

// preview fills a folder as a preview does.
func (s *chosenStack) preview(isUp bool, gone string) (files string, said string, err error) {
	s.t.Helper()
	r := s.request
	r.pending, r.apart = "", s.into+"-preview"
	before := s.files(s.into)
	list, _ := os.ReadFile(s.list) // a new stack has none
	r.isUp, s.network.gone, s.network.asked = isUp, gone, 0
	var out, log bytes.Buffer
	err = r.fill(s.t.Context(), &out, &log)
	assert.Equal(s.t, before, s.files(s.into), "the up's folder")
	after, _ := os.ReadFile(s.list)
	assert.Equal(s.t, string(list), string(after))
	assert.NoFileExists(s.t, s.pending)
	return s.files(strings.TrimSpace(out.String())), log.String(), err
}

// files returns a folder's files, less the lock.
func (s *chosenStack) files(folder string) string {
	s.t.Helper()
	entries, err := os.ReadDir(folder)
	if !os.IsNotExist(err) {
		require.NoError(s.t, err)
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasPrefix(name, ".") && name != artifacts.LockFile {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

const k3sReleases = "k3s-io/k3s"

func TestAnotherNetworkDoesNotChangeAClustersK3s(t *testing.T) {
	s := newChosenStack(t)
	files, said, err := s.up(false, k3sReleases)
	require.NoError(t, err)
	assert.NotContains(t, files, "k3s-", "it is the lab's")
	assert.Contains(t, files, "metallb-chart-"+config.MetalLBChartVersion)
	assert.Contains(t, said, "and the lab's for the rest: k3s, k3s-images, k3s-install")

	again, said, err := s.up(true, "")
	require.NoError(t, err)
	assert.Equal(t, files, again)
	assert.Contains(t, said, "and the lab's for the rest: k3s, k3s-images, k3s-install (as it was brought up with)")
	assert.Zero(t, s.network.asked, "what is here is not asked for")

	// The versions of a downloaded artifact and of one from the lab change.
	s.configure(
		"strata:metallb: {addresses: [10.10.0.200-10.10.0.210], chartVersion: 0.15.2}\n  strata:k3s: {version: v1.35.1+k3s1}")
	again, _, err = s.up(true, "")
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(files, config.MetalLBChartVersion, "0.15.2", 1), again)

	// A layer that is new to the stack uses upstream if it is available.
	s.configure("strata:certManager: {enabled: true}")
	again, _, err = s.up(true, "jetstack")
	require.NoError(t, err)
	assert.NotContains(t, again, "cert-manager-chart")
	again, _, err = s.up(true, "")
	require.NoError(t, err)
	assert.NotContains(t, again, "cert-manager-chart", "it is up with the lab's")

	again, _, err = s.up(false, "")
	require.NoError(t, err)
	assert.Contains(t, again, "k3s-"+config.K3sVersion, "after its destroy it is a new one")
	assert.Contains(t, again, "cert-manager-chart")
}

// Without a network, upstream artifacts must not become the lab's.
func TestAStackThatIsUpFromUpstreamStaysSo(t *testing.T) {
	s := newChosenStack(t)
	files, _, err := s.up(false, "")
	require.NoError(t, err)
	assert.Contains(t, files, "k3s-"+config.K3sVersion)
	require.NoError(t, os.RemoveAll(os.Getenv("XDG_CACHE_HOME")))
	again, _, err := s.up(true, "/")
	require.NoError(t, err, "nothing has to be downloaded")
	assert.Equal(t, files, again)

	s.configure("strata:k3s: {version: v1.35.1+k3s1}")
	_, _, err = s.up(true, k3sReleases)
	require.ErrorContains(t, err,
		"the stack is up with upstream's artifacts, and these did not come: k3s v1.35.1+k3s1, k3s-images v1.35.1+k3s1, k3s-install v1.35.1+k3s1. Try again")
	require.ErrorContains(t, err, "404")
	again, _, err = s.up(true, "")
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(files, config.K3sVersion, "v1.35.1+k3s1"), again)

	require.NoError(t, os.RemoveAll(s.into))
	again, _, err = s.up(true, "")
	require.NoError(t, err)
	assert.Contains(t, again, "k3s-v1.35.1+k3s1", "the list says what the folder had")
}

// A preview decides nothing: with the network back, the layer comes from upstream.
func TestAPreviewFixesNothing(t *testing.T) {
	s := newChosenStack(t)
	_, _, err := s.preview(false, "")
	require.NoError(t, err)
	files, _, err := s.up(false, "")
	require.NoError(t, err)
	seen, _, err := s.preview(true, "/")
	require.NoError(t, err)
	assert.Equal(t, files, seen, "the up's folder is as it would be")
	assert.Zero(t, s.network.asked)

	s.configure("strata:certManager: {enabled: true}")
	seen, said, err := s.preview(true, "jetstack")
	require.NoError(t, err)
	assert.Equal(t, files, seen)
	assert.Contains(t, said, "the lab's for the rest: cert-manager-chart")
	seen, _, err = s.preview(true, "")
	require.NoError(t, err)
	assert.Contains(t, seen, "cert-manager-chart")
	again, _, err := s.up(true, "")
	require.NoError(t, err)
	assert.Equal(t, seen, again)

	s.configure("strata:metallb: {addresses: [10.10.0.200-10.10.0.210], chartVersion: 0.15.2}")
	seen, _, err = s.preview(true, "")
	require.NoError(t, err)
	assert.Contains(t, seen, "metallb-chart-0.15.2")
	assert.NotContains(t, seen, "metallb-chart-"+config.MetalLBChartVersion)
}

// A failed build or a configuration error deploys nothing with the chosen sources.
func TestAnUpThatDidNotBeginFixesNothing(t *testing.T) {
	s := newChosenStack(t)
	_, _, err := s.up(false, "")
	require.NoError(t, err)
	s.configure("strata:certManager: {enabled: true}")
	files, _, err := s.call(s.request, true, "jetstack")
	require.NoError(t, err)
	assert.NotContains(t, files, "cert-manager-chart")
	files, _, err = s.up(true, "")
	require.NoError(t, err)
	assert.Contains(t, files, "cert-manager-chart")
}

// A file in the folder enters the lab's manifest with its sum, so no later check would notice a
// change.
func TestAFileThatChangedInTheFolderIsDownloadedAnew(t *testing.T) {
	s := newChosenStack(t)
	files, _, err := s.up(false, "")
	require.NoError(t, err)
	lock, err := artifacts.ReadLock(s.into)
	require.NoError(t, err)
	for _, name := range []string{"k3s", "pulumi-resource-random"} {
		file := filesOf(s.into, lock, name)[0]
		before, err := os.ReadFile(file)
		require.NoError(t, err)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("x"), len(before)), 0o755))
		require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()), "as a copy that went wrong may have it")
		again, said, err := s.up(true, "")
		require.NoError(t, err)
		assert.Equal(t, files, again)
		assert.Contains(t, said, file+": wrong checksum: expected sha256 ")
		assert.Contains(t, said, "it is downloaded again")
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), name)
	}
	_, said, err := s.up(true, "")
	require.NoError(t, err)
	assert.NotContains(t, said, "downloaded again")
	assert.Zero(t, s.network.asked)
}

// If the download fails, the update fails: the stack runs the downloaded version.
func TestAFileThatChangedAndDoesNotComeAgainStopsTheUp(t *testing.T) {
	s := newChosenStack(t)
	_, _, err := s.up(false, "")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(os.Getenv("XDG_CACHE_HOME")))
	require.NoError(t, os.WriteFile(filepath.Join(s.into, "k3s-"+config.K3sVersion), []byte("garbage"), 0o755))
	_, said, err := s.up(true, k3sReleases)
	require.ErrorContains(t, err, "these did not come: k3s "+config.K3sVersion)
	assert.Contains(t, said, "wrong checksum")
}

// An older lock has no sums of programs, and there may be no network to get them.
func TestAPluginOfBeforeItsSumWasKeptIsBelieved(t *testing.T) {
	s := newChosenStack(t)
	files, _, err := s.up(false, "")
	require.NoError(t, err)
	lock, err := artifacts.ReadLock(s.into)
	require.NoError(t, err)
	for i := range lock.Artifacts {
		lock.Artifacts[i].Program = ""
	}
	require.NoError(t, lock.Write(s.into))
	again, _, err := s.up(true, "/")
	require.NoError(t, err)
	assert.Equal(t, files, again)
}

// A plugin that is not available is compiled, because it is no part of the cluster. The lab would
// refuse the old one beside it.
func TestAPluginThatDoesNotComeIsCompiled(t *testing.T) {
	s := newChosenStack(t)
	files, _, err := s.up(false, "")
	require.NoError(t, err)
	assert.Contains(t, files, "pulumi-resource-random")
	lock, err := artifacts.ReadLock(s.into)
	require.NoError(t, err)
	for i := range lock.Artifacts {
		if one := &lock.Artifacts[i]; one.Name == "pulumi-resource-random" { // as the go.mod before had it
			require.NoError(t,
				os.Rename(filepath.Join(s.into, one.OriginalName()), filepath.Join(s.into, one.Name+"-v4.0.0")))
			one.Version = "v4.0.0"
		}
	}
	require.NoError(t, lock.Write(s.into))
	require.NoError(t, os.RemoveAll(os.Getenv("XDG_CACHE_HOME")))
	files, said, err := s.up(true, "pulumi-random")
	require.NoError(t, err)
	assert.NotContains(t, files, "pulumi-resource-random")
	assert.Contains(t, said, "the lab's for the rest: pulumi-resource-random")
}

// An older stack without a list has only its folder as evidence.
func TestAStackWithoutAListHasFromUpstreamWhatItsFolderHas(t *testing.T) {
	s := newChosenStack(t)
	files, _, err := s.up(false, k3sReleases)
	require.NoError(t, err)
	require.NoError(t, os.Remove(s.list))
	again, _, err := s.up(true, "")
	require.NoError(t, err)
	assert.Equal(t, files, again)
	require.NoError(t, os.WriteFile(s.list, []byte("k3s elsewhere\n"), 0o600))
	_, _, err = s.up(true, "")
	require.ErrorContains(t, err, `"k3s elsewhere" is no artifact with lab or upstream`)

	require.NoError(t, os.Remove(s.list))
	require.NoError(t, os.RemoveAll(s.into))
	require.NoError(t, os.Mkdir(s.into, 0o755))
	_, _, err = s.up(true, "")
	require.ErrorContains(t, err, "neither that folder is there nor "+s.list, "nothing says what is up")
}
