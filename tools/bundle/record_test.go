package main

import (
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	served "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/tools/bundle/registry"
)

// variant returns an image for an architecture.
func variant(t *testing.T, arch string) mutate.IndexAddendum {
	t.Helper()
	made, err := random.Image(64, 1)
	require.NoError(t, err)
	settings, err := made.ConfigFile()
	require.NoError(t, err)
	settings = settings.DeepCopy()
	settings.OS, settings.Architecture = "linux", arch
	made, err = mutate.ConfigFile(made, settings)
	require.NoError(t, err)
	return mutate.IndexAddendum{Add: made,
		Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}}
}

// pushed pushes an index to a registry under a reference, and returns its digest.
func pushed(t *testing.T, reference string, platforms ...mutate.IndexAddendum) string {
	t.Helper()
	tag, err := name.NewTag(reference)
	require.NoError(t, err)
	index := mutate.AppendManifests(empty.Index, platforms...)
	require.NoError(t, remote.WriteIndex(tag, index))
	digest, err := index.Digest()
	require.NoError(t, err)
	return digest.String()
}

func digestOf(t *testing.T, one mutate.IndexAddendum) string {
	t.Helper()
	digest, err := one.Add.Digest()
	require.NoError(t, err)
	return digest.String()
}

func TestRecordedDigestsAreKeptUntilImageChanges(t *testing.T) {
	server := httptest.NewServer(served.New(served.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	reference := strings.TrimPrefix(server.URL, "http://") + "/acme/shop:1"
	amd, arm := variant(t, "amd64"), variant(t, "arm64")
	attestation := variant(t, "unknown")
	attestation.Platform.OS = "unknown"
	index := pushed(t, reference, amd, arm, attestation)

	var said bytes.Buffer
	b := &bundle{lock: &artifacts.Lock{}, out: &said}
	puller := &registry.Puller{Arch: "amd64"}
	first, err := b.digests(t.Context(), puller, reference)
	require.NoError(t, err)
	assert.Equal(t, strings.TrimPrefix(digestOf(t, amd), "sha256:"), first.SHA256)
	assert.Equal(t, []string{index, digestOf(t, amd), digestOf(t, arm)}, first.Digests,
		"the attestation runs nowhere")
	b.lock = b.lock.With([]artifacts.Locked{first})
	assert.Equal(t, map[string][]string{reference: first.Digests}, b.lock.ImageDigests())

	t.Run("another platform was added", func(t *testing.T) {
		riscv := variant(t, "riscv64")
		later := pushed(t, reference, amd, arm, riscv)
		again, err := b.digests(t.Context(), puller, reference)
		require.NoError(t, err)
		assert.Equal(t, []string{later, digestOf(t, amd), digestOf(t, arm), digestOf(t, riscv),
			index}, again.Digests)
	})
	t.Run("the tag has another image", func(t *testing.T) {
		pushed(t, reference, variant(t, "amd64"), arm)
		_, err := b.digests(t.Context(), puller, reference)
		require.ErrorContains(t, err, "expected "+digestOf(t, amd)+
			", which strata.lock has, found sha256:")
	})
	t.Run("the registry does not have the image", func(t *testing.T) {
		none, err := b.digests(t.Context(), puller, strings.Replace(reference, "shop", "absent", 1))
		require.NoError(t, err)
		assert.Empty(t, none.SHA256)
		assert.Contains(t, said.String(), "not recorded, and not compared with what runs: image ")
	})
	t.Run("a localhost image, and a reference by digest", func(t *testing.T) {
		for _, one := range []string{"localhost/strata/go-rest:1.0.0", "quay.io/acme/shop@" + index} {
			none, err := b.digests(t.Context(), puller, one)
			require.NoError(t, err)
			assert.Empty(t, none.SHA256)
		}
	})
}

func TestBundleImagesAreNotRecorded(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, "Pulumi.test.yaml")
	text := "config:\n  strata:cluster: {context: kind-kind}\n  strata:metallb: {enabled: " +
		"false}\n  strata:artifacts: {source: /a/bundle}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var said bytes.Buffer
	require.NoError(t, record(t.Context(), project, "test", file, &said))
	assert.Equal(t, "stack test: its images come from the bundle /a/bundle, and none is recorded\n",
		said.String())
	assert.NoFileExists(t, filepath.Join(project, artifacts.LockFile))
}
