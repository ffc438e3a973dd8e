package graph_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// upstream makes a stack use upstream artifacts. Each configured file has only a line of text as
// its content.
func (p *program) upstream(t *testing.T, apps map[string]any) {
	t.Helper()
	p.set(t, "ingress", map[string]any{"controllers": []string{"traefik", "apisix"}})
	p.set(t, "apps", apps)
	t.Setenv(config.MachineImageVariable, os.Getenv(config.ArtifactsVariable))
	t.Setenv(config.ArtifactsVariable, config.SourceUpstream)
	cfg, err := p.loaded()
	require.NoError(t, err)
	lock := &artifacts.Lock{}
	contents := map[string]string{}
	for _, pin := range cfg.Pins() {
		content := "not the real " + pin.URL
		digest := sha256.Sum256([]byte(content))
		sum := hex.EncodeToString(digest[:])
		contents[sum] = content
		lock.Artifacts = append(lock.Artifacts, artifacts.Locked{
			Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL, SHA256: sum,
			Size: int64(len(content)),
		})
	}
	require.NoError(t, lock.Write(p.project.Dir))
	files, err := artifacts.Resolve(cfg, p.project.Dir)
	require.NoError(t, err)
	for _, artifact := range files.Artifacts() {
		path := filepath.Join(p.project.Dir, artifact.Path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(contents[artifact.SHA256]), 0o600))
	}
}

// No registry has the images of the demo's REST API and of cert-wait. With upstream artifacts,
// nodes pull all other images from registries, but these two must be on each node before a Pod
// needs them.
func TestUpstreamStackCopiesUnpublishedImagesToNodes(t *testing.T) {
	p := newProgram(t, "staging")
	p.upstream(t,
		map[string]any{"demo": true,
			"workloads": []any{map[string]any{"name": "shop", "image": "a:1",
				"certificate": map[string]any{}}}})
	g := p.graph(t)
	for _, node := range []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"} {
		for _, layer := range []string{"apisix-chart", "cert-manager-chart"} {
			name := "k3s-" + node + "-images-" + layer + "-0"
			require.Contains(t, g, name)
			assert.Contains(t, g[name].Text("stdin"), `"images":true`, name)
		}
	}
	assert.Contains(t, g["k3s-agent-1-images-apisix-chart-0"].Text("stdin"),
		"k3s-images-go-rest-1.0.0-")
	assert.Contains(t, g["demo-go-rest"].Inputs["spec"].String(), "localhost/strata/go-rest:1.0.0")
	assert.True(t, g.reaches("demo-go-rest", "k3s-server-1-images-apisix-chart-0"),
		"its Pod finds its image")
	assert.Equal(t, "localhost/strata/cert-wait:1.0.0",
		template(t, g, "spec", "initContainers", "image").StringValue())
}

func TestUpstreamStackCopiesNoUnneededImageToNodes(t *testing.T) {
	p := newProgram(t, "staging")
	p.upstream(t, map[string]any{"demo": true, "restImage": "registry.acme/go-rest:1"})
	g := p.graph(t)
	for _, name := range g.images() {
		assert.True(t, strings.HasSuffix(name, "-images-0"), "%s: K3s's own only", name)
	}
	assert.Contains(t, g["demo-go-rest"].Inputs["spec"].String(), "registry.acme/go-rest:1")
}

// Only gates that check workloads compare images, and only if nodes pull images.
func TestOnlyWorkloadGatesCompareImagesWithUpstreamArtifacts(t *testing.T) {
	p := newProgram(t, "staging")
	p.upstream(t, map[string]any{})
	lock, err := artifacts.ReadLock(p.project.Dir)
	require.NoError(t, err)
	pin := artifacts.ImagePin("docker.io/library/traefik:v3", "traefik-v3", "amd64")
	lock.Artifacts = append(lock.Artifacts, artifacts.Locked{
		Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL,
		SHA256: strings.Repeat("a", 64), Digests: []string{"sha256:index"},
	})
	require.NoError(t, lock.Write(p.project.Dir))
	const images = `"images":{"docker.io/library/traefik:v3":["sha256:index"]}`
	for name, r := range p.graph(t) {
		text := r.Text("stdin")
		compares := strings.Contains(text, `"kind":"rollout"`) ||
			strings.Contains(text, `"kind":"webhook"`)
		assert.Equal(t, compares, strings.Contains(text, images), name)
	}
	t.Setenv(config.ArtifactsVariable, os.Getenv(config.MachineImageVariable))
	for name, r := range p.graph(t) {
		assert.NotContains(t, r.Text("stdin"), images, name)
	}
}

// docs/images.md lists the program's own images and those of the charts. The program may use no
// other image, except those in config.OwnImages.
func TestImagesPageListsEveryImageOfTheProgram(t *testing.T) {
	p := newProgram(t, "staging")
	p.upstream(t, map[string]any{
		"demo": true, "wave": map[string]any{"enabled": true},
		"workloads": []any{
			map[string]any{"name": "shop", "image": "users.own/shop:1",
				"certificate": map[string]any{},
				"canary":      map[string]any{}, "routes": []any{map[string]any{}}}},
	})
	page, err := os.ReadFile(filepath.Join(root, "docs/images.md"))
	require.NoError(t, err)
	named := map[string]bool{}
	for _, r := range p.graph(t) {
		imagesIn(resource.NewProperty(r.Inputs), named)
	}
	delete(named, "users.own/shop:1")
	assert.Len(t, named, 4, "httpbin, Keycloak, and two of our own: %v", named)
	for image := range named {
		repository := image[:strings.LastIndex(image, ":")]
		assert.Contains(t, string(page), "`"+repository+"`", image)
	}
}

// imagesIn collects the images of the containers in a value.
func imagesIn(value resource.PropertyValue, named map[string]bool) {
	switch {
	case value.IsSecret():
		imagesIn(value.SecretValue().Element, named)
	case value.IsOutput():
		imagesIn(value.OutputValue().Element, named)
	case value.IsArray():
		for _, one := range value.ArrayValue() {
			imagesIn(one, named)
		}
	case value.IsObject():
		for key, one := range value.ObjectValue() {
			if key == "image" && one.IsString() {
				named[one.StringValue()] = true
			}
			imagesIn(one, named)
		}
	}
}

// Strata copies no images to an existing cluster. So it must report a missing image before it
// creates anything.
func TestExistingClusterDemoWithoutImageFailsBeforeAnyResource(t *testing.T) {
	p := newProgram(t, "kind")
	p.set(t, "ingress", map[string]any{"controllers": []string{"apisix"}})
	p.set(t, "apps", map[string]any{"demo": true})
	g, err := p.run(nil)
	require.ErrorContains(t, err,
		"strata:apps.restImage: is not set, and no public registry has the image of the demo's "+
			"REST API; make it with `strata image go-rest`")
	assert.Empty(t, g)
}

// loaded returns the present configuration as the program reads it.
func (p *program) loaded() (*config.Config, error) {
	handed, sections := map[string]string{}, map[string]string{}
	if err := json.Unmarshal([]byte(os.Getenv(pulumi.EnvConfig)), &handed); err != nil {
		return nil, err
	}
	for key, text := range handed {
		sections[strings.TrimPrefix(key, config.Namespace+":")] = text
	}
	return config.Load(p.stack, sections, os.Getenv)
}
