package components

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/teardown"
	"strata/config"
	"strata/internal/pulumi/dryrun"
)

// written creates a project folder with files, by name, and returns its path.
func written(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// readFiles returns the objects of files in a folder.
func readFiles(dir string, files ...string) ([]Manifest, error) {
	return ReadManifests(dir, &config.Config{Apps: config.Apps{Manifests: files}})
}

func TestInvalidManifestFileIsRefused(t *testing.T) {
	dir := written(t, map[string]string{
		"good.yaml": "# mine\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " +
			"mine}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: mine}\n",
		"bad.yaml":  "a: b\ninvalid: yaml: :\n",
		"null.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: null}\n",
		"half.yaml": "apiVersion: v1\nkind: ConfigMap\n",
	})
	objects, err := readFiles(dir, "good.yaml")
	require.NoError(t, err)
	require.Len(t, objects, 2)
	assert.Equal(t, []string{"kubernetes:core/v1:Namespace", "kubernetes:apps/v1:Deployment"},
		[]string{objects[0].token(), objects[1].token()})
	assert.Equal(t, "manifests:good.yaml:Deployment:mine:web", objects[1].resource("manifests"))
	assert.Equal(t, []string{objects[0].identity()}, objects[1].needs(objects))
	assert.Empty(t, objects[0].needs(objects))

	_, err = readFiles(dir, "good.yaml", "bad.yaml", "null.yaml", "half.yaml", "missing.yaml")
	for _, want := range []string{
		"strata:apps.manifests[1]: bad.yaml: yaml: line 2: mapping values are not allowed",
		"strata:apps.manifests[2]: null.yaml: ConfigMap a: data.x: null would not reach the cluster",
		"strata:apps.manifests[3]: half.yaml: ConfigMap: expected metadata.name",
		"strata:apps.manifests[4]: open ", "missing.yaml: no such file", "nothing was changed",
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestDuplicateObjectIsRefused(t *testing.T) {
	document := func(kind, name string) string {
		return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + "}\n---\n"
	}
	const (
		toys = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: toys}\n" +
			"spec: {group: example.org, scope: SCOPE, names: {kind: Toy}}\n---\n"
		role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: "
		toy  = "apiVersion: example.org/v1\nkind: Toy\nmetadata: {name: a}\n---\napiVersion: " +
			"example.org/v1\nkind: Toy\nmetadata: {name: a, namespace: b}\n"
	)
	for name, test := range map[string]struct{ text, want string }{
		"same object with and without namespace default": {document("ConfigMap", "a") +
			document("ConfigMap", "a, namespace: default"),
			"ConfigMap default/a is in again.yaml already; remove one"},
		"same name in another namespace": {document("ConfigMap", "a") +
			document("ConfigMap", "a, namespace: b"), ""},
		"cluster-scoped kind with two namespaces": {document("Node", "a, namespace: b") +
			document("Node", "a, namespace: c"), "Node c/a is in again.yaml already"},
		"cluster-scoped kind of a layer": {strings.ReplaceAll(toy, "example.org/v1\nkind: Toy",
			"cert-manager.io/v1\nkind: ClusterIssuer"), "ClusterIssuer b/a is in again.yaml already"},
		"two objects with the same Pulumi name": {role + "{name: 'x:a'}\n---\n" + role + "{name: a, namespace: x}\n",
			"Role x/a has the Pulumi name of another object; move one of them to another file"},
		"two cluster-scoped objects with the same Pulumi name": {
			strings.ReplaceAll(role, "Role", "ClusterRole") + "{name: 'x:a'}\n---\n" +
				strings.ReplaceAll(role, "Role", "ClusterRole") + "{name: a, namespace: x}\n",
			"ClusterRole x/a has the Pulumi name of another object"},
		"cluster-scoped kind of a CRD in the file": {strings.Replace(toys, "SCOPE", "Cluster", 1) + toy,
			"Toy b/a is in again.yaml already"},
		"namespaced kind of a CRD in the file": {strings.Replace(toys, "SCOPE", "Namespaced", 1) +
			toy, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readFiles(written(t, map[string]string{"again.yaml": test.text}), "again.yaml")
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "strata:apps.manifests[0]: again.yaml: "+test.want)
			}
		})
	}
}

func TestManifestOfObjectThatStrataOwnsIsRefused(t *testing.T) {
	objects, err := readFiles(written(t, map[string]string{"mine.yaml": "apiVersion: v1\nkind: Namespace\n" +
		"metadata: {name: argocd}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n---\n" +
		"apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: strata, namespace: a}\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, namespace: apps}\n"}),
		"mine.yaml")
	require.NoError(t, err)
	own := teardown.Objects{"Namespace": {"argocd"}, "ClusterIssuer.cert-manager.io": {"strata"},
		"ConfigMap": {"apps/shop"}}
	all, err := dryrun.Run(t.Context(), "strata", "test", func(ctx *pulumi.Context) error {
		_, err := NewManifests(ctx, "manifests",
			&ManifestsArgs{Layer: Layer{Cluster: &Cluster{objects: own}}, Objects: objects})
		return err
	})
	assert.Len(t, all, 1, "the stack")
	const remove = "; remove it from the file; if an update has applied it, first run: " +
		"pulumi state delete --target-dependents 'urn:pulumi:test::strata::strata:apps/v2:Manifests$"
	for _, want := range []string{
		"strata:apps.manifests: mine.yaml: Namespace argocd is Strata's own" + remove +
			"command:local:Command::manifests:mine.yaml:Namespace:argocd-end'",
		"mine.yaml: ClusterIssuer a/strata is Strata's own" + remove +
			"kubernetes:cert-manager.io/v1:ClusterIssuer::manifests:mine.yaml:ClusterIssuer:a:strata'",
		"mine.yaml: ConfigMap apps/shop is Strata's own",
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "Namespace mine")
	assert.NotContains(t, err.Error(), "ConfigMap shop")
}

func TestUnknownFieldIsRefusedForPinnedKubernetesOnly(t *testing.T) {
	dir := written(t, map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nnewer: 1\n"})
	cfg := &config.Config{Apps: config.Apps{Manifests: []string{"a.yaml"}}}
	_, err := ReadManifests(dir, cfg)
	require.EqualError(t, err, "strata:apps.manifests[0]: a.yaml: Pod a: newer: field not declared in schema; "+
		"nothing was changed")
	cfg.K3s.Version = "v1.99.0+k3s1"
	_, err = ReadManifests(dir, cfg)
	require.NoError(t, err)
	cfg.K3s.Version, cfg.Cluster.Context = "", "kind-kind"
	_, err = ReadManifests(dir, cfg)
	require.NoError(t, err)
}

func TestManifestInHomeFolderIsRead(t *testing.T) {
	home := written(t, map[string]string{"a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"})
	t.Setenv("HOME", home)
	objects, err := readFiles(t.TempDir(), "~/a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "manifests:~/a.yaml:Namespace:a", objects[0].resource("manifests"))
}

// registered returns the resources that NewManifests registers for objects, by name.
func registered(t testing.TB, objects []Manifest) map[string]dryrun.Registration {
	t.Helper()
	all, err := dryrun.Run(t.Context(), "strata", "test", func(ctx *pulumi.Context) error {
		provider, err := kubernetes.NewProvider(ctx, "cluster", &kubernetes.ProviderArgs{})
		if err != nil {
			return err
		}
		cluster := &Cluster{Provider: provider, objects: teardown.Objects{}}
		_, err = NewManifests(ctx, "manifests",
			&ManifestsArgs{Layer: Layer{Cluster: cluster}, Objects: objects})
		return err
	})
	require.NoError(t, err)
	resources := map[string]dryrun.Registration{}
	for _, one := range all {
		if strings.HasPrefix(one.Name, "manifests:") && strings.HasPrefix(one.Type, "kubernetes:") {
			resources[one.Name] = one
		}
	}
	return resources
}

// The namespace of a cluster-scoped object has no meaning. Such an object must not wait for that
// namespace, which may be the object itself.
func TestClusterScopedObjectsIgnoreTheirNamespace(t *testing.T) {
	for name, text := range map[string]string{
		"a CRD with a namespace": "apiVersion: apiextensions.k8s.io/v1\nkind: " +
			"CustomResourceDefinition\nmetadata: {name: toys.example.org, namespace: " +
			"toys}\nspec: {group: example.org, names: {kind: Toy}}\n---\napiVersion: v1\nkind: " +
			"Namespace\nmetadata: {name: toys}\n",
		"a Namespace whose namespace is itself": "apiVersion: v1\nkind: Namespace\nmetadata: {name: toys, namespace: toys}\n",
		"a CRD that defines the kind CustomResourceDefinition": "apiVersion: apiextensions.k8s.io/v1\nkind: " +
			"CustomResourceDefinition\nmetadata: {name: a}\nspec: {group: apiextensions.k8s.io, " +
			"names: {kind: CustomResourceDefinition}}\n",
		"a CRD that defines the kind Namespace": "apiVersion: v1\nkind: Namespace\nmetadata: {name: " +
			"a}\n---\napiVersion: apiextensions.k8s.io/v1\nkind: " +
			"CustomResourceDefinition\nmetadata: {name: a}\nspec: {group: '', names: {kind: Namespace}}\n",
		"a Namespace of another API group": "apiVersion: v1\nkind: Secret\nmetadata: {name: a, " +
			"namespace: b}\n---\napiVersion: example.org/v1\nkind: Namespace\nmetadata: {name: b, namespace: b}\n",
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := readFiles(written(t, map[string]string{"toys.yaml": text}), "toys.yaml")
			require.NoError(t, err)
			assert.Len(t, registered(t, objects), len(objects))
			for _, object := range objects {
				assert.Empty(t, object.needs(objects), object.Title())
			}
		})
	}
}

func TestObjectWaitsForCRDOfItsKind(t *testing.T) {
	dir := written(t, map[string]string{
		"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: " +
			"CustomResourceDefinition\nmetadata: {name: toys.example.org}\nspec: {group: " +
			"example.org, names: {kind: Toy}}\n",
		"toy.yaml": "apiVersion: example.org/v1\nkind: Toy\nmetadata: {name: " +
			"a}\n---\napiVersion: other.org/v1\nkind: Toy\nmetadata: {name: b}\n",
	})
	objects, err := readFiles(dir, "toy.yaml", "crd.yaml")
	require.NoError(t, err)
	assert.Equal(t, []string{objects[2].identity()}, objects[0].needs(objects))
	assert.Empty(t, objects[1].needs(objects), "the same kind of another group")
}

// A cluster-scoped Toy has no namespace, so it does not wait for the Namespace in its metadata.
func TestClusterScopedCustomResourceWaitsForNoNamespace(t *testing.T) {
	text := "apiVersion: example.org/v1\nkind: Toy\nmetadata: {name: a, namespace: toys}\n---\n" +
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: toys}\n---\n" +
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
		"metadata: {name: toys.example.org}\nspec: {group: example.org, scope: SCOPE, names: {kind: Toy}}\n"
	for scope, waits := range map[string]bool{"Cluster": false, "Namespaced": true} {
		objects, err := readFiles(written(t, map[string]string{
			"toy.yaml": strings.Replace(text, "SCOPE", scope, 1)}),
			"toy.yaml")
		require.NoError(t, err)
		needs := objects[0].needs(objects)
		assert.Contains(t, needs, objects[2].identity(), scope)
		assert.Equal(t, waits, slices.Contains(needs, objects[1].identity()), scope)
	}
}
