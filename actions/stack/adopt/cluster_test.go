package adopt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/stackstate"
)

const objectToken = "kubernetes:core/v1:Secret"

// fakeCluster is a Cluster whose objects are those of a fake client.
type fakeCluster struct {
	*Cluster
	objects *fakedynamic.FakeDynamicClient
}

// cluster returns a Cluster with some objects and, in namespace traefik, some records of Helm.
func cluster(t *testing.T, objects []runtime.Object, records ...runtime.Object) *fakeCluster {
	t.Helper()
	kube := fake.NewClientset(records...)
	kube.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{
		GroupVersion: "v1",
		APIResources: []metav1.APIResource{
			{Name: "secrets", Kind: "Secret", Namespaced: true},
			{Name: "namespaces", Kind: "Namespace"},
			{Name: "namespaces/finalize", Kind: "Namespace"},
		},
	}}
	lists := map[schema.GroupVersionResource]string{
		{Version: "v1", Resource: "secrets"}:    "SecretList",
		{Version: "v1", Resource: "namespaces"}: "NamespaceList",
	}
	client := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists,
		objects...)
	return &fakeCluster{&Cluster{kinds: apiserver.NewKinds(client, kube.Discovery()), kube: kube},
		client}
}

// object returns an object that some field managers wrote.
func object(kind, namespace, name string, managers ...string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	object.SetName(name)
	object.SetNamespace(namespace)
	var entries []metav1.ManagedFieldsEntry
	for _, manager := range managers {
		entries = append(entries, metav1.ManagedFieldsEntry{Manager: manager,
			Operation: metav1.ManagedFieldsOperationUpdate})
	}
	object.SetManagedFields(entries)
	return object
}

// changes returns the requests to the cluster that are not reads.
func changes(c *fakeCluster) []clienttesting.Action {
	var found []clienttesting.Action
	actions := append(c.objects.Actions(),
		c.kube.(*fake.Clientset).Actions()...)
	for _, action := range actions {
		if verb := action.GetVerb(); verb != "get" && verb != "list" {
			found = append(found, action)
		}
	}
	return found
}

func TestObjectOfKilledRunIsAdoptedWithCurrentInputs(t *testing.T) {
	for _, by := range []string{"pulumi-kubernetes", "pulumi-kubernetes-0a1b2c3d"} {
		found := object("Secret", "traefik", "dashboard", "k3s", by)
		found.Object["data"] = map[string]any{"password": "b2xk", "kept": "eA=="}
		c := cluster(t, []runtime.Object{found})
		inputs := map[string]any{
			"apiVersion": "v1", "kind": "Secret",
			"metadata": map[string]any{"name": "dashboard", "namespace": "traefik"},
			"data":     map[string]any{"password": "bmV3"}, "__initialApiVersion": "v1",
			"status": map[string]any{},
		}
		require.NoError(t, c.BeforeChange(t.Context(), objectToken, false, inputs))
		for _, did := range changes(c) {
			assert.NotContains(t, string(did.(clienttesting.PatchAction).GetPatch()),
				"__initialApiVersion")
		}
		now, err := c.objects.Resource(schema.GroupVersionResource{Version: "v1",
			Resource: "secrets"}).Namespace("traefik").Get(t.Context(), "dashboard",
			metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"password": "bmV3", "kept": "eA=="}, now.Object["data"])
		assert.Equal(t, []string{"k3s", "pulumi-kubernetes"}, managers(now))
	}
}

func TestNamespaceIsAdoptedWithoutDeletion(t *testing.T) {
	c := cluster(t, []runtime.Object{object("Namespace", "", "traefik", "pulumi-kubernetes")})
	require.NoError(t, c.BeforeChange(t.Context(), "kubernetes:core/v1:Namespace", false, map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "traefik"},
	}))
	for _, did := range changes(c) {
		assert.Equal(t, "patch", did.GetVerb())
	}
}

// An apply that sets only a name leaves no field manager. After a killed destroy, traefik's
// namespace had none.
func TestBareNamespaceWithoutFieldManagerIsAdopted(t *testing.T) {
	inputs := map[string]any{"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": "traefik"}}
	unmanaged := object("Namespace", "", "traefik")
	c := cluster(t, []runtime.Object{unmanaged})
	require.NoError(t, c.BeforeChange(t.Context(), "kubernetes:core/v1:Namespace", false, inputs))

	unowned := unmanaged.DeepCopyObject().(*unstructured.Unstructured)
	unowned.SetLabels(map[string]string{"team": "a"})
	c = cluster(t, []runtime.Object{unowned})
	require.ErrorContains(t, c.BeforeChange(t.Context(), "kubernetes:core/v1:Namespace", false, inputs),
		"did not make it")
}

// If the object were adopted, a later change of the configuration would delete it, with its owner's
// data.
func TestObjectOfOtherProgramIsRefused(t *testing.T) {
	c := cluster(t, []runtime.Object{object("Namespace", "", "team-a", "kubectl-create",
		"pulumi-kubernetesque")})
	err := c.BeforeChange(t.Context(), "kubernetes:core/v1:Namespace", false, map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "team-a"},
	})
	require.ErrorContains(t, err, "Namespace team-a exists and this program did not make it "+
		"(field managers: kubectl-create")
	assert.Empty(t, changes(c))
}

// K3s restarts on a server under load, and meanwhile its supervisor answers that there is no API
// server.
func TestAdoptionRetriesWhileAPIServerRestarts(t *testing.T) {
	c := cluster(t, nil)
	away := 2
	c.objects.PrependReactor("get", "*",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			away--
			return away >= 0, nil, apierrors.NewServiceUnavailable("apiserver not ready")
		})
	inputs := map[string]any{"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"name": "ca", "namespace": "default"}}
	require.NoError(t, c.BeforeChange(t.Context(), objectToken, false, inputs))
	assert.Equal(t, -1, away)
}

func TestOnlyMissingObjectIsLeftToCreate(t *testing.T) {
	going := object("Namespace", "", "going", "pulumi-kubernetes")
	going.SetDeletionTimestamp(&metav1.Time{Time: metav1.Now().Time})
	going.SetFinalizers([]string{"kubernetes"})
	c := cluster(t, []runtime.Object{going, object("Secret", "default", "named", "kubectl")})
	inputs := func(version, kind, namespace, name string) map[string]any {
		return map[string]any{"apiVersion": version, "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": namespace}}
	}
	for _, absent := range []map[string]any{
		inputs("v1", "Secret", "traefik", "dashboard"), inputs("v1", "Secret", "", ""),
		inputs("metallb.io/v1beta1", "IPAddressPool", "x", "pool"),
		inputs("v1", "Unheard", "x", "y"),
	} {
		require.NoError(t, c.BeforeChange(t.Context(), objectToken, false, absent))
	}
	require.ErrorContains(t, c.BeforeChange(t.Context(), objectToken, false,
		inputs("v1", "Secret", "", "named")), "did not make it", "the namespace default is meant")
	require.NoError(t, c.BeforeChange(t.Context(), objectToken, true,
		inputs("v1", "Secret", "", "named")), "an update is the provider's")
	require.ErrorContains(t, c.BeforeChange(t.Context(), objectToken, false,
		inputs("v1", "Namespace", "", "going")), "being deleted")
	assert.Empty(t, changes(c))
}

// record returns Helm's record of one revision of release traefik, with a content that MarkFailed
// can read.
func record(name, revision, status, manager string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "sh.helm.release.v1." + name + ".v" + revision, Namespace: "traefik",
			Labels: map[string]string{"owner": "helm", "name": name, "status": status,
				"version": revision},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: manager}},
		},
		// {"info":{"status":"pending-upgrade"}}, gzipped, in base64
		Data: map[string][]byte{"release": []byte(
			"H4sIAAAAAAAC/6tWysxLy1eyUqhWKi5JLCktBjKVClLzUjLz0nVLC9KLElNSlWprAcPKCxcnAAAA")},
	}
}

// records returns the remaining records, with their status.
func (c *Cluster) records(t *testing.T) map[string]string {
	t.Helper()
	list, err := c.kube.CoreV1().Secrets("traefik").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := map[string]string{}
	for _, one := range list.Items {
		found[one.Name] = one.Labels["status"]
	}
	return found
}

var traefik = map[string]any{"name": "traefik", "namespace": "traefik"}

func TestHelmRecordsOfKilledInstallAreDeleted(t *testing.T) {
	for _, status := range []string{"pending-install", "deployed", "failed"} {
		c := cluster(t, nil, record("traefik", "1", status, "pulumi-resource-kubernetes"),
			record("other", "1", "deployed", "helm"))
		require.NoError(t, c.BeforeChange(t.Context(), stackstate.HelmRelease, false, traefik))
		assert.Equal(t, map[string]string{"sh.helm.release.v1.other.v1": "deployed"},
			c.records(t), status)
	}
}

func TestReleaseOfOtherProgramIsRefused(t *testing.T) {
	c := cluster(t, nil, record("traefik", "1", "deployed", "pulumi-resource-kubernetes"),
		record("traefik", "2", "deployed", "helm"))
	require.ErrorContains(t, c.BeforeChange(t.Context(), stackstate.HelmRelease, false, traefik),
		"did not install its revision 2")
	assert.Len(t, c.records(t), 2)
}

// Helm refuses every upgrade while a revision is pending, so that revision is marked failed.
func TestPendingHelmUpgradeIsMarkedFailed(t *testing.T) {
	c := cluster(t, nil, record("traefik", "1", "deployed", "helm"),
		record("traefik", "2", "pending-upgrade", "pulumi-resource-kubernetes"))
	require.NoError(t, c.BeforeChange(t.Context(), stackstate.HelmRelease, true, traefik))
	assert.Equal(t, map[string]string{"sh.helm.release.v1.traefik.v1": "deployed",
		"sh.helm.release.v1.traefik.v2": "failed"}, c.records(t))
}
