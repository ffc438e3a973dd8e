package images

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
	"strata/internal/pulumi/dryrun"
)

func TestCanonicalCompletesImageReferences(t *testing.T) {
	digest := "@sha256:" + hex.EncodeToString(make([]byte, 32))
	for text, want := range map[string]string{
		"redis":                        "docker.io/library/redis:latest",
		"apache/apisix:3.16":           "docker.io/apache/apisix:3.16",
		"quay.io/metallb/speaker:v1":   "quay.io/metallb/speaker:v1",
		"docker.io/traefik:v3.7.11":    "docker.io/library/traefik:v3.7.11",
		"localhost:5000/shop:1":        "localhost:5000/shop:1",
		"quay.io/a/b:1" + digest:       "quay.io/a/b" + digest,
		"mirror.example.org/hub/a/b:1": "mirror.example.org/hub/a/b:1",
	} {
		found, err := Canonical(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, found)
	}
	_, err := Canonical("not an image")
	require.Error(t, err)
}

// chart has a Deployment whose image is a value, a hook, a test that only `helm test` runs, and an
// optional subchart with an image.
var chart = map[string]string{
	"shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.2.3\ndependencies:\n- {name: " +
		"cache, version: 1.0.0, condition: cache.enabled}\n",
	"shop/values.yaml": "image: acme/shop\ncache: {enabled: true}\n",
	"shop/templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: "{{ .Release.Namespace }}"}
spec:
  template:
    spec:
      initContainers: [{name: first, image: quay.io/acme/first:1}]
      containers:
      - name: shop
        image: "{{ .Values.image }}:{{ .Capabilities.KubeVersion.Minor }}"
        args: [--acme-http01-solver-image=quay.io/acme/solver:2, --port=80]
`,
	"shop/templates/hook.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: h, " +
		"annotations: {helm.sh/hook: pre-install}}\nspec: {template: {spec: {containers: [{name: " +
		"h, image: quay.io/acme/hook:1}]}}}\n",
	"shop/templates/test.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: t, " +
		"annotations: {helm.sh/hook: test}}\nspec: {containers: [{name: t, image: quay.io/acme/test:1}]}\n",
	"shop/templates/NOTES.txt":     "image: not yaml: at all",
	"shop/charts/cache/Chart.yaml": "apiVersion: v2\nname: cache\nversion: 1.0.0\n",
	"shop/charts/cache/templates/pod.yml": "apiVersion: v1\nkind: Pod\nmetadata: {name: " +
		"c}\nspec: {containers: [{name: c, image: redis:8}]}\n",
}

// packed writes the chart into a bundle, and returns the stack's artifacts.
func packed(t *testing.T) []artifacts.Artifact {
	t.Helper()
	var content bytes.Buffer
	zipped := gzip.NewWriter(&content)
	writer := tar.NewWriter(zipped)
	for name, text := range chart {
		require.NoError(t,
			writer.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)),
				Typeflag: tar.TypeReg}))
		_, err := writer.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.NoError(t, zipped.Close())
	bundle := t.TempDir()
	manifest := artifacts.Manifest{}
	for _, name := range []string{config.ArtifactK3s, config.ArtifactK3sInstall, config.ArtifactMetalLBChart} {
		require.NoError(t, os.WriteFile(filepath.Join(bundle, name+".tgz"), content.Bytes(), 0o600))
		sum := sha256.Sum256(content.Bytes())
		manifest.Artifacts = append(manifest.Artifacts, artifacts.Entry{
			Name: name, Version: "v1.34.2+k3s1", Path: name + ".tgz",
			SHA256: hex.EncodeToString(sum[:]), Size: int64(content.Len()),
			Origin: "real: a test's",
		})
	}
	require.NoError(t, manifest.Write(bundle))
	set, err := artifacts.Resolve(stack(t, bundle), t.TempDir())
	require.NoError(t, err)
	return set.Artifacts()
}

func stack(t *testing.T, bundle string) *config.Config {
	t.Helper()
	cfg, err := config.Load("test", map[string]string{
		"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","arch":"amd64","ssh":{"user":"root","keyFile":"/dev/null"},
			"nodes":[{"name":"server-1","role":"server","address":"10.10.0.11"}]}`,
		"metallb":     `{"addresses":["10.10.0.200-10.10.0.210"]}`,
		"artifacts":   `{"source":"` + bundle + `"}`,
		"certManager": `{"enabled":false}`,
	}, func(string) string { return "" })
	require.NoError(t, err)
	return cfg
}

// registered returns the registrations of a program with a release of the chart, a Pod, and a
// command that applies another Pod.
func registered(t *testing.T, file string, values pulumi.Map) []dryrun.Registration {
	t.Helper()
	command, err := json.Marshal(
		map[string]any{
			"objects": []any{
				map[string]any{
					"spec": map[string]any{
						"containers": []any{map[string]any{"image": "quay.io/acme/applied:1"}}}}}})
	require.NoError(t, err)
	all, err := dryrun.Run(t.Context(), "strata", "test", func(ctx *pulumi.Context) error {
		for _, one := range []struct {
			token  string
			inputs pulumi.Map
		}{
			{releaseType,
				pulumi.Map{"name": pulumi.String("shop"), "namespace": pulumi.String("apps"),
					"chart": pulumi.String(".strata/artifacts/" + file), "values": values}},
			{"kubernetes:core/v1:Pod",
				pulumi.Map{
					"spec": pulumi.Map{
						"containers": pulumi.Array{
							pulumi.Map{"image": pulumi.ToSecret(
								pulumi.String("quay.io/acme/first:1"))}}}}},
			{"command:local:Command", pulumi.Map{"stdin": pulumi.String(command)}},
			{"command:local:Command", pulumi.Map{"stdin": pulumi.String("image: no JSON")}},
		} {
			var made pulumi.CustomResourceState
			if err := ctx.RegisterResource(one.token, one.token, one.inputs, &made); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	return all
}

func TestImagesOfAllPodsAreCollected(t *testing.T) {
	files := packed(t)
	chart := files[len(files)-1]
	asked := func(values pulumi.Map) map[string]string {
		found, err := Collect(registered(t, chart.FileName(), values), files, t.TempDir(),
			"v1.34.2+k3s1")
		require.NoError(t, err)
		by := map[string]string{}
		for _, image := range found {
			by[image.Reference] = image.For
		}
		return by
	}
	want := map[string]string{
		"docker.io/acme/shop:34": chart.Name, "quay.io/acme/solver:2": chart.Name,
		"quay.io/acme/hook:1": chart.Name, "docker.io/library/redis:8": chart.Name,
		"quay.io/acme/first:1": "", "quay.io/acme/applied:1": "",
	}
	assert.Equal(t, want, asked(pulumi.Map{}))
	delete(want, "docker.io/library/redis:8")
	delete(want, "docker.io/acme/shop:34")
	want["mirror.example.org/shop:34"] = chart.Name
	assert.Equal(t, want,
		asked(pulumi.Map{"image": pulumi.String("mirror.example.org/shop"),
			"cache": pulumi.Map{"enabled": pulumi.Bool(false)}}))
}

func TestChartMissingFromStackIsAnError(t *testing.T) {
	_, err := Collect(registered(t, "other-1.0.0-abc.tgz", nil), packed(t), t.TempDir(), "v1.34.2")
	require.ErrorContains(t, err, "other-1.0.0-abc.tgz is no artifact of the stack")
}
