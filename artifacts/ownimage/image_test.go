package ownimage_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts/ownimage"
	"strata/config"
)

const reference = "localhost/strata/cert-wait:1.0.0"

// project returns a project folder with program as the source of cert-wait.
func project(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.26.0\n", "main.go": program} {
		path := filepath.Join(dir, "tools/cert-wait", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func certWait(t *testing.T) config.OwnImage {
	t.Helper()
	for _, image := range config.OwnImages {
		if image.Name == "cert-wait" {
			return image
		}
	}
	require.Fail(t, "no image cert-wait")
	return config.OwnImage{}
}

// unpack returns the files of a tar, by name.
func unpack(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		assert.Zero(t, header.ModTime.Unix(), header.Name)
		files[header.Name], err = io.ReadAll(reader)
		require.NoError(t, err)
	}
}

// In the format of `docker save`, manifest.json names a configuration file, which has the layers'
// sums.
func TestImageArchiveContainsProgramAndReference(t *testing.T) {
	dir := project(t, "package main\n\nfunc main() {}\n")
	out := filepath.Join(t.TempDir(), "image.tar")
	require.NoError(t, ownimage.Write(t.Context(), dir, certWait(t), reference, "arm64", out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	files := unpack(t, text)
	var list []struct {
		Config           string
		RepoTags, Layers []string
	}
	require.NoError(t, json.Unmarshal(files["manifest.json"], &list))
	require.Len(t, list, 1)
	assert.Equal(t, []string{reference}, list[0].RepoTags)
	require.Len(t, list[0].Layers, 1)
	var settings struct {
		Architecture, OS string
		Config           struct {
			User       string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	require.NoError(t, json.Unmarshal(files[list[0].Config], &settings))
	layer := files[list[0].Layers[0]]
	digest := sha256.Sum256(layer)
	assert.Equal(t, []string{"sha256:" + hex.EncodeToString(digest[:])}, settings.RootFS.DiffIDs)
	assert.Equal(t, "linux/arm64", settings.OS+"/"+settings.Architecture)
	assert.Equal(t, "65532:65532", settings.Config.User, "a number, for runAsNonRoot")
	assert.Equal(t, []string{"/cert-wait"}, settings.Config.Entrypoint)
	binary, err := elf.NewFile(bytes.NewReader(unpack(t, layer)["cert-wait"]))
	require.NoError(t, err)
	assert.Equal(t, elf.EM_AARCH64, binary.Machine)
	libraries, err := binary.ImportedLibraries()
	require.NoError(t, err)
	assert.Empty(t, libraries, "there is nothing else in the image")

	again := filepath.Join(t.TempDir(), "elsewhere.tar")
	require.NoError(t,
		ownimage.Write(t.Context(), project(t, "package main\n\nfunc main() {}\n"), certWait(t),
			reference, "arm64", again))
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	assert.Equal(t, text, second, "the same sources give the same bytes, wherever they are")
}

func TestFailedCompilationLeavesNoArchive(t *testing.T) {
	out := filepath.Join(t.TempDir(), "image.tar")
	err := ownimage.Write(t.Context(), project(t, "package main\n\nfunc main() { nonsense() }\n"),
		certWait(t), reference, "amd64", out)
	require.ErrorContains(t, err, "image cert-wait: go build in ")
	require.ErrorContains(t, err, "undefined: nonsense")
	assert.NoFileExists(t, out)

	err = ownimage.Write(t.Context(), t.TempDir(), certWait(t), reference, "amd64", out)
	assert.ErrorContains(t, err, "tools/cert-wait", "the folder that is missing")
}

func TestEachOwnImageHasSourceFolder(t *testing.T) {
	for _, image := range config.OwnImages {
		assert.FileExists(t, filepath.Join("../..", image.Folder, "main.go"), image.Name)
		assert.FileExists(t, filepath.Join("../..", image.Folder, "go.mod"), image.Name)
	}
}
