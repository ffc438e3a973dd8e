package imagetar_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/imagetar"
)

// controller returns an image with a newly written binary.
func controller(t *testing.T) imagetar.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "controller")
	require.NoError(t, os.WriteFile(path, []byte("binary"), 0o755))
	return imagetar.Image{Reference: "quay.io/x/controller:v1", Binary: path, User: 65532}
}

// unpacked returns an opener for the tar inside a compressed archive.
func unpacked(path string) tarball.Opener {
	return func() (io.ReadCloser, error) {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		reader, err := zstd.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		return reader.IOReadCloser(), nil
	}
}

// extract returns the tar headers of an image's files, by name.
func extract(t *testing.T, image v1.Image) map[string]*tar.Header {
	t.Helper()
	content := mutate.Extract(image)
	defer func() { _ = content.Close() }()
	files := map[string]*tar.Header{}
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		files[header.Name] = header
	}
}

func TestImageArchiveIsReproducible(t *testing.T) {
	want := ""
	// Repeat, because the iteration order of a Go map is random.
	for range 20 {
		out := filepath.Join(t.TempDir(), "image.tar.zst")
		require.NoError(t, controller(t).Write(out))
		sum, _, err := build.DigestFile(out)
		require.NoError(t, err)
		if want == "" {
			want = sum
		}
		require.Equal(t, want, sum)
	}
}

func TestImageRunsItsBinaryAsNumericUser(t *testing.T) {
	out := filepath.Join(t.TempDir(), "image.tar.zst")
	require.NoError(t, controller(t).Write(out))
	tag, err := name.NewTag("quay.io/x/controller:v1")
	require.NoError(t, err)
	image, err := tarball.Image(unpacked(out), &tag)
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)

	assert.Equal(t, "65532:65532", config.Config.User)
	assert.Equal(t, []string{"/controller"}, config.Config.Entrypoint)
	assert.Equal(t, "linux", config.OS)
	require.NotEmpty(t, config.Architecture)
	assert.True(t, config.Created.IsZero())

	files := extract(t, image)
	require.Contains(t, files, "controller")
	assert.Equal(t, int64(0o755), files["controller"].Mode)
	assert.Equal(t, time.Unix(0, 0).UTC(), files["controller"].ModTime.UTC())
	assert.Equal(t, int64(0o1777), files["tmp"].Mode)
}

func TestReferenceWithoutRegistryIsRejected(t *testing.T) {
	image := controller(t)
	image.Reference = "metallb"
	assert.ErrorContains(t, image.Write(filepath.Join(t.TempDir(), "image.tar.zst")), "image metallb")
}

// containerd completes the image name of a Pod. It would not find an image that was imported under
// its short name.
func TestDockerHubShortNameIsCompleted(t *testing.T) {
	image := controller(t)
	image.Reference = "docker.io/traefik:v1"
	out := filepath.Join(t.TempDir(), "image.tar.zst")
	require.NoError(t, image.Write(out))
	manifest, err := tarball.LoadManifest(unpacked(out))
	require.NoError(t, err)
	assert.Equal(t, []string{"docker.io/library/traefik:v1"}, manifest[0].RepoTags)
}

func TestImageIncludesItsRootFilesystem(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root.tar")
	file, err := os.Create(root)
	require.NoError(t, err)
	writer := tar.NewWriter(file)
	require.NoError(t, writer.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "usr/bin/git", Mode: 0o755}))
	require.NoError(t, errors.Join(writer.Close(), file.Close()))
	image := controller(t)
	image.Root, image.Path, image.Links = root, "/usr/local/bin/argocd", []string{"/usr/local/bin/argocd-server"}
	image.Entrypoint = []string{"/usr/bin/tini", "--"}
	out := filepath.Join(t.TempDir(), "image.tar.zst")
	require.NoError(t, image.Write(out))
	read, err := tarball.Image(unpacked(out), nil)
	require.NoError(t, err)
	config, err := read.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, []string{"/usr/bin/tini", "--"}, config.Config.Entrypoint)
	assert.Contains(t, config.Config.Env[0], "/usr/local/bin:")
	files := extract(t, read)
	assert.Contains(t, files, "usr/bin/git")
	assert.Equal(t, "/usr/local/bin/argocd", files["usr/local/bin/argocd-server"].Linkname)
	assert.Equal(t, byte(tar.TypeDir), files["usr/local/bin"].Typeflag)
}
