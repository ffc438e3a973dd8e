package reissue

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	gate "strata/health/certificate"
)

func certificate(namespace, name, issuer, kind string, revision int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
		"metadata": map[string]any{"namespace": namespace, "name": name,
			"uid": namespace + "-" + name, "generation": int64(3)},
		"spec": map[string]any{"issuerRef": map[string]any{"name": issuer, "kind": kind}},
		"status": map[string]any{"revision": revision, "conditions": []any{
			map[string]any{"type": "Ready", "status": "True"},
			map[string]any{"type": "Issuing", "status": "False", "reason": "Failed"},
		}},
	}}
}

func request(namespace, name, owner, revision string) *unstructured.Unstructured {
	one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "cert-manager.io/v1",
		"kind": "CertificateRequest"}}
	one.SetNamespace(namespace)
	one.SetName(name)
	one.SetAnnotations(map[string]string{gate.RevisionAnnotation: revision})
	controls := true
	one.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Certificate", Name: owner,
		UID: types.UID(namespace + "-" + owner), Controller: &controls}})
	return one
}

func cluster(objects ...runtime.Object) *fake.FakeDynamicClient {
	return fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{
			certificates: "CertificateList", requests: "CertificateRequestList",
		}, objects...)
}

func read(
	t *testing.T, client *fake.FakeDynamicClient, resource schema.GroupVersionResource, namespace,
	name string,
) *unstructured.Unstructured {
	t.Helper()
	found, err := client.Resource(resource).Namespace(namespace).Get(t.Context(), name,
		metav1.GetOptions{})
	require.NoError(t, err)
	return found
}

// The issuer's certificates are issued again, and requests to the earlier server are deleted. All
// other certificates stay as they are.
func TestReissueRenewsOnlyCertificatesOfIssuer(t *testing.T) {
	strangers := []*unstructured.Unstructured{
		certificate("apps", "other", "strata", "ClusterIssuer", 1),
		certificate("apps", "namesake", "strata-acme", "Issuer", 1),
	}
	client := cluster(certificate("traefik", "traefik-tls", "strata-acme", "ClusterIssuer", 4),
		certificate("shop", "own", "strata-acme", "ClusterIssuer", 0),
		strangers[0], strangers[1], request("traefik", "issued", "traefik-tls", "4"),
		request("traefik", "under-way", "traefik-tls", "5"),
		request("traefik", "of-another", "other", "5"), request("shop", "first", "own", "1"))
	var log bytes.Buffer
	require.NoError(t, reissueAll(t.Context(), client, "strata-acme", &log))
	assert.Contains(t, log.String(), "certificate traefik/traefik-tls: its signer has changed, and it is issued anew\n")
	for at, revision := range map[[2]string]string{{"traefik", "traefik-tls"}: "4", {"shop", "own"}: "0"} {
		found := read(t, client, certificates, at[0], at[1])
		assert.Equal(t, revision, found.GetAnnotations()[gate.AfterAnnotation])
		conditions, _, err := unstructured.NestedSlice(found.Object, "status", "conditions")
		require.NoError(t, err)
		require.Len(t, conditions, 2)
		issuing := conditions[0].(map[string]any)
		assert.NotEmpty(t, issuing["lastTransitionTime"])
		delete(issuing, "lastTransitionTime")
		assert.Equal(t, map[string]any{
			"type": "Issuing", "status": "True", "reason": "SignerChanged",
			"message":            "The CA or the ACME server of the issuer has changed",
			"observedGeneration": int64(3),
		}, issuing)
		assert.Equal(t, map[string]any{"type": "Ready", "status": "True"}, conditions[1])
	}
	for _, stranger := range strangers {
		assert.Equal(t, stranger.Object,
			read(t, client, certificates, "apps", stranger.GetName()).Object)
	}
	left, err := client.Resource(requests).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var names []string
	for _, one := range left.Items {
		names = append(names, one.GetName())
	}
	assert.ElementsMatch(t, []string{"issued", "of-another"}, names)
}

// cert-manager also writes the status, which causes a conflict. A user may delete a certificate
// during the reissue.
func TestReissueRetriesConflictAndSkipsDeletedCertificate(t *testing.T) {
	client := cluster(certificate("traefik", "traefik-tls", "strata-acme", "ClusterIssuer", 4))
	conflicts := 0
	client.PrependReactor("update", "certificates",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			if conflicts++; conflicts < 3 {
				return true, nil, apierrors.NewConflict(
					schema.GroupResource{Resource: "certificates"},
					"traefik-tls", nil)
			}
			return false, nil, nil
		})
	require.NoError(t, reissueAll(t.Context(), client, "strata-acme", &bytes.Buffer{}))
	assert.Equal(t, 3, conflicts)
	client.PrependReactor("patch", "certificates",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "certificates"},
				"traefik-tls")
		})
	require.NoError(t, reissueAll(t.Context(), client, "strata-acme", &bytes.Buffer{}))
}

func TestReissueReportsAPIServerRefusal(t *testing.T) {
	for verb, want := range map[string]string{
		"list": "list certificates: no", "patch": "certificate traefik/traefik-tls: no",
		"delete": "certificate traefik/traefik-tls: delete request under-way: no",
		"update": "certificate traefik/traefik-tls: no",
	} {
		client := cluster(certificate("traefik", "traefik-tls", "strata-acme", "ClusterIssuer", 4),
			request("traefik", "under-way", "traefik-tls", "5"))
		client.PrependReactor(verb, "*",
			func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil,
					errors.New("no")
			})
		require.EqualError(t, reissueAll(t.Context(), client, "strata-acme", &bytes.Buffer{}), want)
	}
}
