package components

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written are files of a project, by name.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestManifestsAreReadWholeOrNotAtAll(t *testing.T) {
	dir := written(t, map[string]string{
		"good.yaml":  "# mine\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: mine}\n",
		"bad.yaml":   "invalid: yaml: :\n", // the seed's own
		"twice.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: y}\ndata: {x: z}\n",
		"none.yaml":  "# nothing\n",
		"half.yaml":  "apiVersion: v1\nkind: ConfigMap\n",
		"again.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n",
	})
	objects, err := ReadManifests(dir, []string{"good.yaml"})
	require.NoError(t, err)
	require.Len(t, objects, 2)
	assert.Equal(t, []string{"kubernetes:core/v1:Namespace", "kubernetes:apps/v1:Deployment"}, []string{objects[0].token(), objects[1].token()})
	assert.Equal(t, "manifests:good.yaml:Deployment:mine:web", objects[1].resource("manifests"))
	assert.Equal(t, []string{objects[0].identity()}, objects[1].needs(objects))
	assert.Empty(t, objects[0].needs(objects))

	_, err = ReadManifests(dir, []string{"good.yaml", "bad.yaml", "twice.yaml", "none.yaml", "half.yaml", "again.yaml", "missing.yaml"})
	require.Error(t, err)
	for _, want := range []string{
		"strata:apps.manifests[1]: bad.yaml: document 1:", `strata:apps.manifests[2]: twice.yaml: document 1:`, "already set in map",
		"strata:apps.manifests[3]: none.yaml: holds no object", "strata:apps.manifests[4]: half.yaml: document 1: expected apiVersion, kind and metadata.name",
		"strata:apps.manifests[5]: again.yaml: Namespace mine is in good.yaml already; remove one", "strata:apps.manifests[6]: missing.yaml:", "nothing was changed",
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestAnObjectWaitsForTheDefinitionOfItsKind(t *testing.T) {
	dir := written(t, map[string]string{
		"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: toys.example.org}\nspec: {group: example.org, names: {kind: Toy}}\n",
		"toy.yaml": "apiVersion: example.org/v1\nkind: Toy\nmetadata: {name: a}\n---\napiVersion: other.org/v1\nkind: Toy\nmetadata: {name: b}\n",
	})
	objects, err := ReadManifests(dir, []string{"toy.yaml", "crd.yaml"})
	require.NoError(t, err)
	assert.Equal(t, []string{objects[2].identity()}, objects[0].needs(objects))
	assert.Empty(t, objects[1].needs(objects), "the same kind of another group")
}
