package components

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"

	"strata/artifacts/manifest"
	"strata/cli/podcheck"
)

// FuzzManifests compares ReadManifests and podcheck with kubectl's reader. Either each object
// reaches Pulumi as it is in the file, or the file is refused by name. An object may only lose
// nulls and the annotation that Prepare removes. Some files are refused although kubectl accepts
// them: TestManifestWithIgnoredContentIsRefused lists them with the reasons.
//
// Run it with -fuzzminimizetime 1s, or each new input costs a minute.
func FuzzManifests(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fuzz.yaml"), text, 0o600))
		objects, err := ReadManifests(dir, []string{"fuzz.yaml"})
		if parsed, err := manifest.Parse("fuzz.yaml", text); err == nil {
			podcheck.Check(parsed, podcheck.Options{})
		}
		if err != nil {
			require.ErrorContains(t, err, "strata:apps.manifests[0]: fuzz.yaml: ")
			return
		}
		infos, err := resource.NewLocalBuilder().Unstructured().
			FilenameParam(false, &resource.FilenameOptions{
				Filenames: []string{filepath.Join(dir, "fuzz.yaml")}}).
			Flatten().Do().Infos()
		require.NoError(t, err, "kubectl refuses what we take")
		require.Len(t, objects, len(infos))
		resources := registered(t, objects)
		require.Len(t, resources, len(infos))
		for i, info := range infos {
			want := info.Object.(*unstructured.Unstructured).Object
			unstructured.RemoveNestedField(want, "metadata", "annotations",
				corev1.LastAppliedConfigAnnotation)
			if objects[i].Kind() == manifest.Namespace {
				want = Manifest{Manifest: objects[i].Manifest}.withoutWait().Object
			}
			sent, err := resources[objects[i].resource("manifests")].Inputs()
			require.NoError(t, err)
			assert.Equal(t, asSent(t, want), asSent(t, sent))
		}
	})
}

// asSent returns an object as JSON would carry it, without its nulls.
func asSent(t *testing.T, object map[string]any) any {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.NewDecoder(strings.NewReader(string(text))).Decode(&value))
	return withoutNulls(value)
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			if below == nil {
				delete(value, key)
			} else {
				value[key] = withoutNulls(below)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}
