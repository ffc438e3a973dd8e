package registry_test

import (
	"archive/tar"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	served "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tools/bundle/registry"
)

const (
	user     = "robot"
	password = "a-password"
)

// mirror is a registry that requires a login, with its own certificate.
type mirror struct {
	host, ca string
	// asked lists the registries that clients request from the mirror, by the parameter ns.
	asked []string
	// down makes the mirror refuse every request.
	down   bool
	client *http.Client
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{}
	images := served.New(served.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given, secret, _ := r.BasicAuth(); given != user || secret != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="mirror"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if m.down {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		m.asked = append(m.asked, r.URL.Query().Get("ns"))
		images.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	m.host, m.client = strings.TrimPrefix(server.URL, "https://"), server.Client()
	m.ca = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: server.Certificate().Raw}))
	return m
}

// entries returns k3s.registries in which the mirror serves a registry, at a path of its API.
func (m *mirror) entries(registry, path string) []config.Registry {
	return []config.Registry{
		{Name: registry, Mirrors: []string{"https://" + m.host + path}},
		{Name: m.host, Username: user, Password: password, CA: m.ca},
	}
}

// push pushes an image to the mirror, or an index of images for several architectures.
func (m *mirror) push(t *testing.T, repository string, what remote.Taggable) {
	t.Helper()
	tag, err := name.NewTag(m.host + "/" + repository)
	require.NoError(t, err)
	options := []remote.Option{remote.WithTransport(m.client.Transport),
		remote.WithAuth(&authn.Basic{Username: user, Password: password})}
	if index, ok := what.(v1.ImageIndex); ok {
		require.NoError(t, remote.WriteIndex(tag, index, options...))
		return
	}
	require.NoError(t, remote.Write(tag, what.(v1.Image), options...))
}

// image returns a random image for an architecture.
func image(t *testing.T, arch string) v1.Image {
	t.Helper()
	made, err := random.Image(64, 2)
	require.NoError(t, err)
	settings, err := made.ConfigFile()
	require.NoError(t, err)
	settings = settings.DeepCopy()
	settings.OS, settings.Architecture = "linux", arch
	made, err = mutate.ConfigFile(made, settings)
	require.NoError(t, err)
	return made
}

func digestOf(t *testing.T, what interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	digest, err := what.Digest()
	require.NoError(t, err)
	return digest.String()
}

func TestPullUsesMirrorOfNodes(t *testing.T) {
	m := newMirror(t)
	pushed := image(t, "amd64")
	m.push(t, "hub/library/redis:8", pushed)
	p := &registry.Puller{Registries: m.entries("docker.io", "/v2/hub"), OnlyMirrors: true,
		Arch: "amd64"}
	pulled, err := p.Pull(t.Context(), "docker.io/library/redis:8", "")
	require.NoError(t, err)
	assert.Equal(t, digestOf(t, pushed), pulled.Digest)
	assert.Contains(t, m.asked, "docker.io")

	t.Run("with rewrites", func(t *testing.T) {
		p.Registries[0].Mirrors[0] = "https://" + m.host
		p.Registries[0].Rewrites = map[string]string{"^library/(.*)": "hub/library/$1"}
		_, err := p.Pull(t.Context(), "docker.io/library/redis:8", "")
		require.NoError(t, err)
	})
	t.Run("for any registry", func(t *testing.T) {
		p := &registry.Puller{Registries: m.entries("*", "/v2/hub"), OnlyMirrors: true,
			Arch: "amd64"}
		_, err := p.Pull(t.Context(), "quay.io/library/redis:8", "")
		require.NoError(t, err)
	})
	t.Run("with an encrypted login, which only Pulumi can read", func(t *testing.T) {
		p := &registry.Puller{Registries: m.entries("*", "/v2/hub"), OnlyMirrors: true,
			Arch: "amd64"}
		p.Registries[1].Password = config.Sealed
		_, err := p.Pull(t.Context(), "quay.io/library/redis:8", "")
		require.ErrorContains(t, err, "docker login "+m.host)
	})
}

func TestOnlyNodeArchitectureIsPulled(t *testing.T) {
	m := newMirror(t)
	arm := image(t, "arm64")
	index := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: image(t, "amd64"),
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}},
		mutate.IndexAddendum{Add: arm,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "arm64"}}})
	m.push(t, "acme/both:1", index)
	m.push(t, "acme/one:1", image(t, "amd64"))
	p := &registry.Puller{Registries: m.entries("*", ""), OnlyMirrors: true, Arch: "arm64"}
	pulled, err := p.Pull(t.Context(), "quay.io/acme/both:1", "")
	require.NoError(t, err)
	assert.Equal(t, digestOf(t, arm), pulled.Digest)
	assert.Equal(t,
		[]string{"quay.io/acme/both:1", "quay.io/acme/both@" + digestOf(t, arm),
			"quay.io/acme/both@" + digestOf(t, index)}, pulled.Names())
	_, err = p.Pull(t.Context(), "quay.io/acme/one:1", "")
	require.ErrorContains(t, err, "expected an image for linux/arm64, found one for linux/amd64")
}

func TestPullByKnownDigestIgnoresMovedTag(t *testing.T) {
	m := newMirror(t)
	before := image(t, "amd64")
	m.push(t, "acme/shop:1", before)
	m.push(t, "acme/shop:1", image(t, "amd64"))
	p := &registry.Puller{Registries: m.entries("*", ""), OnlyMirrors: true, Arch: "amd64"}
	pulled, err := p.Pull(t.Context(), "quay.io/acme/shop:1", digestOf(t, before))
	require.NoError(t, err)
	assert.Equal(t, digestOf(t, before), pulled.Digest)
	pulled, err = p.Pull(t.Context(), "quay.io/acme/shop:1", "")
	require.NoError(t, err)
	assert.NotEqual(t, digestOf(t, before), pulled.Digest)
}

func TestPullErrorListsCausePerMirror(t *testing.T) {
	m := newMirror(t)
	m.down = true
	entries := m.entries("localhost:1", "")
	entries[0].Mirrors = append(entries[0].Mirrors, "https://mirror.example.org/hub")
	p := &registry.Puller{Registries: entries, Arch: "amd64"}
	_, err := p.Pull(t.Context(), "localhost:1/acme/shop:1", "")
	require.ErrorContains(t, err, "image localhost:1/acme/shop:1: https://"+m.host+": ")
	require.ErrorContains(t, err, "its path does not begin with /v2")
	require.ErrorContains(t, err, "localhost:1: ")
	require.ErrorContains(t, err, "connection refused", "its own registry comes last")
}

func TestPulledArchiveIsOCILayoutWithContainerdNames(t *testing.T) {
	m := newMirror(t)
	pushed := image(t, "amd64")
	m.push(t, "acme/shop:1", pushed)
	p := &registry.Puller{Registries: m.entries("*", ""), OnlyMirrors: true, Arch: "amd64"}
	pulled, err := p.Pull(t.Context(), "quay.io/acme/shop:1", "")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "shop.tar")
	size, err := pulled.Write(file)
	require.NoError(t, err)
	files := unpacked(t, file)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, info.Size(), size)
	var index v1.IndexManifest
	require.NoError(t, json.Unmarshal(files["index.json"], &index))
	names := []string{}
	for _, one := range index.Manifests {
		assert.Equal(t, digestOf(t, pushed), one.Digest.String())
		names = append(names, one.Annotations["io.containerd.image.name"])
	}
	assert.Equal(t, pulled.Names(), names)
	manifest, err := pushed.Manifest()
	require.NoError(t, err)
	for _, one := range append(manifest.Layers, manifest.Config) {
		assert.Len(t, files["blobs/sha256/"+one.Digest.Hex], int(one.Size))
	}
	assert.Len(t, files, 2+2+len(manifest.Layers), "layout, index, manifest, settings, layers")
}

// If a registry fails after it sent the manifest, no archive may be left that looks complete.
func TestInterruptedPullLeavesNoArchive(t *testing.T) {
	m := newMirror(t)
	m.push(t, "acme/shop:1", image(t, "amd64"))
	p := &registry.Puller{Registries: m.entries("*", ""), OnlyMirrors: true, Arch: "amd64"}
	pulled, err := p.Pull(t.Context(), "quay.io/acme/shop:1", "")
	require.NoError(t, err)
	m.down = true
	dir := t.TempDir()
	_, err = pulled.Write(filepath.Join(dir, "shop.tar"))
	require.Error(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	files := map[string][]byte{}
	for reader := tar.NewReader(file); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		files[header.Name], err = io.ReadAll(reader)
		require.NoError(t, err)
	}
}
