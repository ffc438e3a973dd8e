//go:build gc

package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImagesSurviveGarbageCollection runs kubelet's image garbage collection, which deletes unused
// images if the disk is fuller than a limit (k3s-io/k3s#2961). kubelet collects every five minutes,
// so this story has its own target (make test-gc). It enables kubelet's observation of the disk,
// which the lab disables by default.
func TestImagesSurviveGarbageCollection(t *testing.T) {
	if isTheLabs(t, labsK3s) {
		t.Skip("the lab's K3s pins no image that it imports (tests/lab/k3s-contract.md): give K3s in ORIGINALS")
	}
	net := network{"stgc0", "10.48.0"}
	all := []node{{"server-1", "server", 11}}
	hosts := existingHosts(t, "e2egc", net, all...)
	sections := staging(hosts, all...)
	// With these limits every disk is too full, and even new images may be deleted.
	sections["k3s"] = map[string]any{"serverArgs": map[string]any{"kubelet-arg": []any{
		"image-gc-high-threshold=1", "image-gc-low-threshold=0", "minimum-image-ttl-duration=1s",
		"local-storage-capacity-isolation=true",
	}}}
	s := newStack(t, "e2e-gc", sections)
	s.step("the first update succeeds",
		func(*testing.T) { s.must(s.up()) })
	s.step("Strata's images survive a garbage collection that removes an unused image",
		func(t *testing.T) {
			brought := images(hosts, "server-1")
			require.NotEmpty(t, brought)
			decoy := importDecoy(t, hosts, "server-1")
			require.Contains(t, images(hosts, "server-1"), decoy)
			require.Eventually(t, func() bool {
				return !strings.Contains(strings.Join(images(hosts, "server-1"), "\n"), decoy)
			}, 12*time.Minute, 5*time.Second, "kubelet has not collected anything")
			assert.Subset(t, images(hosts, "server-1"), brought)
		})
	s.step("destroy", func(*testing.T) { s.must(s.destroy()) })
}

const ctrImages = "k3s ctr --address /run/k3s/containerd/containerd.sock --namespace k8s.io images "

// images returns the names of the images that a node has.
func images(hosts *hostSet, node string) []string {
	return strings.Fields(hosts.must(node, ctrImages+"list --quiet"))
}

// importDecoy imports an image into a node. No Pod uses it, and no label protects it.
func importDecoy(t *testing.T, hosts *hostSet, node string) string {
	t.Helper()
	tag, err := name.NewTag("docker.io/strata/decoy:v1")
	require.NoError(t, err)
	image, err := random.Image(1024, 1)
	require.NoError(t, err)
	image, err = mutate.ConfigFile(image, platformOf(t, image)) // containerd needs a platform
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "decoy.tar")
	require.NoError(t, tarball.WriteToFile(file, tag, image))
	archive, err := os.ReadFile(file)
	require.NoError(t, err)
	hosts.must(node, "echo "+base64.StdEncoding.EncodeToString(archive)+
		" | base64 -d > /tmp/decoy.tar && "+ctrImages+"import /tmp/decoy.tar && rm /tmp/decoy.tar")
	return "docker.io/strata/decoy:v1"
}

// platformOf returns an image's configuration for this machine's platform.
func platformOf(t *testing.T, image v1.Image) *v1.ConfigFile {
	t.Helper()
	file, err := image.ConfigFile()
	require.NoError(t, err)
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	return file
}
