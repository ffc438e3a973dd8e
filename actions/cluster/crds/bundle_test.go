package crds

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
)

const file = `# a comment
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gateways.example.org}
status: {conditions: []}
---
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: safe-upgrades}
`

func TestParseLabelsBundleAndListsCRDNames(t *testing.T) {
	bundle, err := Parse("gateway-api", "v1.6.1", []byte(file))
	require.NoError(t, err)
	assert.Equal(t, []string{"gateways.example.org"}, bundle.Names())
	require.Len(t, bundle.Objects, 2)
	for _, object := range bundle.Objects {
		assert.Equal(t, "gateway-api", object.GetLabels()[BundleLabel])
		assert.Equal(t, "v1.6.1", object.GetAnnotations()[VersionAnnotation])
		assert.NotContains(t, object.Object, "status", "the status is the API server's")
	}
}

func TestBundleWithOtherKindsIsRefused(t *testing.T) {
	_, err := Parse("b", "v1", []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: surprise}\n"))
	require.ErrorContains(t, err, "Secret surprise")
	_, err = Parse("b", "v1", []byte("# nothing\n"))
	require.ErrorContains(t, err, "no CRD")
	_, err = Parse("b", "v1", []byte("kind: ["))
	require.Error(t, err)
}

func TestMayReplaceRefusesForeignOrNewerCRDs(t *testing.T) {
	bundle := &Bundle{Name: "gateway-api", Version: "v1.6.1"}
	there := func(owner, version string, managers ...string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{
			Object: map[string]any{"kind": "CustomResourceDefinition"}}
		object.SetName("gateways.example.org")
		if owner != "" {
			object.SetLabels(map[string]string{BundleLabel: owner})
			object.SetAnnotations(map[string]string{VersionAnnotation: version})
		}
		fields := []metav1.ManagedFieldsEntry{{Manager: "kube-apiserver", Subresource: "status"}}
		for _, manager := range managers {
			fields = append(fields, metav1.ManagedFieldsEntry{Manager: manager})
		}
		object.SetManagedFields(fields)
		return object
	}
	assert.NoError(t, bundle.mayReplace(there("gateway-api", "v1.6.1")), "the same again")
	assert.NoError(t, bundle.mayReplace(there("gateway-api", "v1.5.0")), "an upgrade in place")
	assert.ErrorContains(t, bundle.mayReplace(there("gateway-api", "v1.10.0")), "newer than v1.6.1")
	assert.ErrorContains(t, bundle.mayReplace(there("", "", "deploy@server-1", "helm")),
		"belongs to deploy@server-1, helm")
	assert.ErrorContains(t, bundle.mayReplace(there("traefik", "v3")), "Strata's bundle traefik")
	assert.ErrorContains(t, bundle.mayReplace(there("gateway-api", "")), VersionAnnotation)
}

func TestRemoveDeletesOnlyObjectsOfBundle(t *testing.T) {
	definition := func(name, owner string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{
			Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1",
				"kind": "CustomResourceDefinition"}}
		object.SetName(name)
		object.SetLabels(map[string]string{BundleLabel: owner})
		return object
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{
			definitions: "CustomResourceDefinitionList", policies: "ValidatingAdmissionPolicyList",
			policyBindings: "ValidatingAdmissionPolicyBindingList",
		}, definition("ours.example.org", "gateway-api"),
		definition("theirs.example.org", "traefik"))
	var log bytes.Buffer
	require.NoError(t, remove(t.Context(), client, "gateway-api", &log))
	assert.Contains(t, log.String(), "1 objects removed")
	left, err := client.Resource(definitions).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, left.Items, 1)
	assert.Equal(t, "theirs.example.org", left.Items[0].GetName())
}

func TestDeletionRetryAnnotatesOnlyTerminatingCRDs(t *testing.T) {
	definition := func(name string, leaving bool) *unstructured.Unstructured {
		object := &unstructured.Unstructured{
			Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1",
				"kind": "CustomResourceDefinition"}}
		object.SetName(name)
		if leaving {
			now := metav1.Now()
			object.SetDeletionTimestamp(&now)
			object.SetFinalizers([]string{"customresourcecleanup.apiextensions.k8s.io"})
		}
		return object
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{
			definitions: "CustomResourceDefinitionList",
		}, definition("leaving.example.org", true), definition("staying.example.org", false))
	require.NoError(t, Retry(t.Context(), client, metav1.ListOptions{}))
	all, err := client.Resource(definitions).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, object := range all.Items {
		assert.Equal(t, object.GetDeletionTimestamp() != nil,
			object.GetAnnotations()[retried] != "", object.GetName())
	}
}
