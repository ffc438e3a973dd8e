package podcheck_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"

	"strata/artifacts/manifest"
	"strata/cli/podcheck"
)

// patched applies a report's patches to objects as kubectl does, and adds the report's new objects.
func patched(
	t *testing.T, objects []manifest.Manifest, patches []map[string]any,
) []manifest.Manifest {
	t.Helper()
	for _, patch := range patches {
		object := &unstructured.Unstructured{Object: patch}
		into := -1
		for i, one := range objects {
			if one.Title() == (manifest.Manifest{Unstructured: object}).Title() {
				into = i
			}
		}
		if into < 0 {
			objects = append(objects, manifest.Manifest{Unstructured: object, File: "new"})
			continue
		}
		typed, err := scheme.Scheme.New(object.GroupVersionKind())
		require.NoError(t, err)
		before, err := json.Marshal(objects[into].Object)
		require.NoError(t, err)
		change, err := json.Marshal(patch)
		require.NoError(t, err)
		after, err := strategicpatch.StrategicMergePatch(before, change, typed)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(after, typed))
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		require.NoError(t, err)
		objects[into].Object = fields
	}
	return objects
}

func TestApplyingPatchesRemovesAllFindings(t *testing.T) {
	bare, _, _ := strings.Cut(change{
		probe, "", "          " + lifecycle + "\n", "", grace, "", replicas, "", strategy,
		"strategy: {type: Recreate}",
	}.apply(t), "---")
	mounted := strings.Replace(bare, "        - name: log\n",
		"          volumeMounts: [{name: tls, mountPath: /pair}]\n        - name: log\n", 1)
	for name, text := range map[string]string{
		"a Deployment": bare,
		"a preStop with a command": strings.Replace(bare, "          ports:",
			"          lifecycle: {preStop: {exec: {command: [sleep, '3']}}, stopSignal: "+
				"SIGKILL}\n          ports:", 1),
		"a startup probe": strings.Replace(bare, "          ports:",
			"          startupProbe: {tcpSocket: {port: http}}\n          ports:", 1),
		"a serving sidecar": strings.Replace(strings.Replace(bare,
			"          ports: [{name: http, containerPort: 8080}]\n", "", 1),
			"      containers:\n", "      initContainers: [{name: proxy, restartPolicy: Always, "+
				"ports: [{containerPort: 80}]}]\n      containers:\n", 1),
		"a ReplicationController": strings.NewReplacer("apps/v1", "v1", "kind: Deployment",
			"kind: ReplicationController", "  strategy: {type: Recreate}\n", "",
			"{matchLabels: {app: shop}}", "{app: shop}").Replace(bare),
		"a certificate": mounted + "      volumes: [{name: tls, secret: {secretName: shop-tls, defaultMode: 0400}}]\n",
		"two projected certificates and another init container": mounted +
			"      volumes: [{name: tls, projected: {sources: " +
			"[{configMap: {name: a}}, {secret: {name: shop-tls}}, {secret: {name: b-cert}}]}}]\n" +
			"      initContainers: [{name: cert-wait, image: a}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Parse("shop.yaml", []byte(text))
			require.NoError(t, err)
			first := podcheck.Check(objects, options)
			require.GreaterOrEqual(t, len(first.Findings), 5)
			again := podcheck.Check(patched(t, objects, first.Patches), options)
			assert.Empty(t, again.Findings)
		})
	}
}

func TestPatchFixesRolloutThatStopsAllPods(t *testing.T) {
	for _, kind := range []string{"DaemonSet", "StatefulSet"} {
		text := change{"kind: Deployment", "kind: " + kind, strategy,
			"updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}"}.apply(t)
		objects, err := manifest.Parse("shop.yaml", []byte(text))
		require.NoError(t, err)
		first := podcheck.Check(objects, options)
		require.Len(t, first.Findings, 1)
		assert.Empty(t, podcheck.Check(patched(t, objects, first.Patches), options).Findings, kind)
	}
}

// A patch must add the same init container as docs/cert-wait.yaml.
func TestPatchAddsInitContainerOfDocs(t *testing.T) {
	text := strings.Replace(snippet(t), "            optional: true\n", "", 1)
	text = strings.Replace(text, "- name: cert-wait\n", "- name: another\n", 1)
	text = strings.Replace(text, "image: localhost/strata/cert-wait", "image: a", 1)
	objects, err := manifest.Parse("shop.yaml", []byte(text))
	require.NoError(t, err)
	patches := podcheck.Check(objects, options).Patches
	require.Len(t, patches, 1)
	added, _, err := unstructured.NestedSlice(patches[0], "spec", "template", "spec",
		"initContainers")
	require.NoError(t, err)
	page, err := manifest.Parse("page", []byte(snippet(t)))
	require.NoError(t, err)
	want, _, err := unstructured.NestedSlice(page[0].Object, "spec", "template", "spec",
		"initContainers")
	require.NoError(t, err)
	assert.Equal(t, want, added)
}

// `kubectl patch` and kustomize cannot merge the lists of a custom kind.
func TestCustomKindsGetFindingsWithoutPatch(t *testing.T) {
	rollout := change{"apps/v1", "argoproj.io/v1alpha1", "kind: Deployment", "kind: Rollout", probe,
		""}.apply(t)
	report := find(t, rollout)
	assert.Len(t, report.Findings, 1)
	assert.Empty(t, report.Patches)
}

func TestReportIsWrittenAsJSONAndAsPatches(t *testing.T) {
	report := find(t, change{probe, ""}.apply(t))
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, "json"))
	var read struct {
		Findings []podcheck.Finding
		Patches  []map[string]any
		Checked  []string
		Unread   []string
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	assert.Equal(t, report.Findings, read.Findings)
	assert.Len(t, read.Patches, 1)
	assert.Equal(t, report.Pods, read.Checked)
	assert.Empty(t, read.Unread)

	out.Reset()
	require.NoError(t, report.Write(&out, "patch"))
	assert.Equal(t, `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: apps
spec:
  template:
    spec:
      containers:
      - name: shop
        readinessProbe:
          httpGet:
            path: /ready
            port: 8080
`, out.String())
}
