package artifacts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// locked returns an image's entry in the lock.
func locked(reference, arch string, digests ...string) artifacts.Locked {
	pin := artifacts.ImagePin(reference, "v1", arch)
	return artifacts.Locked{Name: pin.Name, Version: pin.Version, Arch: arch, URL: pin.URL,
		SHA256: strings.Repeat("a", 64), Digests: digests}
}

func TestImageDigestsIncludeEveryPlatform(t *testing.T) {
	lock := &artifacts.Lock{Artifacts: []artifacts.Locked{
		locked("quay.io/a/b:1", "amd64", "sha256:index", "sha256:amd64"),
		locked("quay.io/a/b:1", "arm64", "sha256:index", "sha256:arm64"),
		locked("quay.io/a/old:1", "amd64"),
		locked("quay.io/a/c@sha256:1", "amd64", "sha256:1"),
		{Name: "k3s", URL: "https://example.org/k3s", Digests: []string{"sha256:1"}},
	}}
	assert.Equal(t, map[string][]string{"quay.io/a/b:1": {"sha256:index", "sha256:amd64",
		"sha256:arm64"}},
		lock.ImageDigests(),
		"without those that were recorded before there were digests, and those that containerd verifies")
}

func TestResolveReturnsNoImageDigestsForBundle(t *testing.T) {
	project := t.TempDir()
	dir, _ := bundle(t)
	existing, err := config.Load("test", map[string]string{
		"cluster":     `{"context":"kind-kind"}`,
		"metallb":     `{"enabled":false}`,
		"certManager": `{"enabled":false}`,
	}, func(string) string { return "" })
	require.NoError(t, err)
	lock := &artifacts.Lock{Artifacts: []artifacts.Locked{locked("quay.io/a/b:1", "amd64",
		"sha256:index")}}
	for _, pin := range existing.NeededPins() {
		lock.Artifacts = append(lock.Artifacts,
			artifacts.Locked{Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL,
				SHA256: strings.Repeat("b", 64)})
	}
	require.NoError(t, lock.Write(project))

	upstream, err := artifacts.Resolve(existing, project)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"quay.io/a/b:1": {"sha256:index"}}, upstream.ImageDigests())
	fromBundle, err := artifacts.Resolve(stack(t, dir, nil), project)
	require.NoError(t, err)
	assert.Empty(t, fromBundle.ImageDigests())
}
