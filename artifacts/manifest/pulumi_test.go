package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts/manifest"
)

// prepared parses a text with one object and calls Prepare(true). It returns the object and
// Prepare's error.
func prepared(t *testing.T, text string) (manifest.Manifest, error) {
	t.Helper()
	objects, err := manifest.Parse("mine.yaml", []byte(text))
	require.NoError(t, err)
	require.Len(t, objects, 1)
	return objects[0], objects[0].Prepare(true)
}

const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: toys.a.b}\n"

const application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, " +
	"namespace: argocd, labels: , creationTimestamp: null}\n"

func TestPrepareRefusesContentThatPulumiWouldNotApplyUnchanged(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"null in a custom resource": {application +
			"spec: {source: {helm: {valuesObject: {receivers: {zipkin: null}}}}}\n",
			"mine.yaml: Application argocd/a: spec.source.helm.valuesObject.receivers.zipkin: " +
				"null would not reach the cluster"},
		"null in a list": {application + "spec: {sources: [{a: 1}, null]}\n",
			"spec.sources[1]: null would not reach"},
		"null that is an empty text": {configMap("a") + "data: {key: null}\n",
			"ConfigMap a: data.key: null would not reach"},
		"null in a list of texts": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, args: [null]}]}\n",
			"spec.containers[0].args[0]: null"},
		"null of a property": {definition + "spec: {versions: [{schema: {openAPIV3Schema: {properties: {a: null}}}}]}\n",
			"openAPIV3Schema.properties.a: null would not reach"},
		"null of an enumeration": {definition + "spec: {versions: [{schema: {openAPIV3Schema: {enum: [null]}}}]}\n",
			"openAPIV3Schema.enum[0]: null would not reach"},
		"null of a label": {
			application[:len(application)-len("labels: , creationTimestamp: null}\n")] +
				"labels: {a.b/c: null}}\n", "metadata.labels[a.b/c]: null"},
		"a large integer": {application + "spec: {chatID: -1009223372036854775}\n",
			"spec.chatID: is an integer beyond 2^53, which Pulumi may round"},
		"an integer of more than 64 bits": {application + "spec: [{size: 18446744073709551616}]\n",
			"spec[0].size: is an integer beyond 2^53"},
		"the smallest integer beyond 2^53": {application + "spec: {size: 9007199254740993}\n",
			"spec.size: is an integer beyond 2^53"},
		"generateName": {"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\n",
			"Job a-: metadata.generateName: each update would make another object"},
		"no name": {"apiVersion: batch/v1\nkind: Job\n", "mine.yaml: Job: expected metadata.name"},
		"SOPS": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: " +
			"'ENC[AES256_GCM,data:x]'}\nsops: {mac: 'ENC[x]'}\n",
			"mine.yaml: Secret a: is encrypted with SOPS and would be applied as it is; decrypt " +
				"it: sops decrypt mine.yaml"},
		"SOPS without its block": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: " +
			"'ENC[AES256_GCM,data:x]'}\n", "mine.yaml: Secret a: is encrypted with SOPS"},
		"SOPS of a list": {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: " +
			"{name: a}, data: {a: 'ENC[AES256_GCM,data:x]'}}]\nsops: {mac: 'ENC[x]'}\n",
			"mine.yaml: ConfigMap a: is encrypted with SOPS"},
		"SOPS of a list of one kind": {`{"apiVersion": "v1", "kind": "SecretList", "items": [{"metadata": ` +
			`{"name": "a"}, "data": {"a": "ENC[AES256_GCM,data:x]"}}], "sops": {"mac": "x"}}`,
			"mine.yaml: Secret a: is encrypted with SOPS"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prepared(t, test.text)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestPrepareRemovesNullsCopiesAndServerMetadata(t *testing.T) {
	for name, test := range map[string]struct{ text, without string }{
		"null of a built-in kind": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, " +
			"annotations: }\nspec: {strategy: null, template: {metadata: {creationTimestamp: " +
			"null}, spec: {nodeSelector: }}}\n",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {metadata: {}, spec: {}}}\n"},
		"null of metadata": {application +
			"spec: {template: {metadata: {creationTimestamp: null}}}\n",
			"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: " +
				"argocd}\nspec: {template: {metadata: {}}}\n"},
		"kubectl's last-applied annotation": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {b: " +
			"c, kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"a\":\"aHVudGVyMg==\"}}'}}\n",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {b: c}}\n"},
		"other tools' copies of the object": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {b: c, " +
			"kapp.k14s.io/original: '{}', objectset.rio.cattle.io/applied: H4sI, banzaicloud.com/last-applied: UEs}}\n",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {b: c}}\n"},
		"last-applied annotation in a template": {application + "spec: {template: {metadata: {annotations: {b: c, " +
			"kubectl.kubernetes.io/last-applied-configuration: '{}'}}}}\n",
			application + "spec: {template: {metadata: {annotations: {b: c}}}}\n"},
		"the API server's metadata": {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, generateName: b-, uid: 3f0c, " +
			"resourceVersion: '1', managedFields: [{manager: kubectl, operation: Update}]}\n",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"},
		"null of a definition": {definition + "spec: {names: {shortNames: null}, versions: [{schema: " +
			"{openAPIV3Schema: {default: null}}}]}\nstatus: {conditions: null}\n",
			definition + "spec: {names: {}, versions: [{schema: {openAPIV3Schema: {}}}]}\nstatus: {}\n"},
		"null of an API service": {
			"apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.x}\nspec: {caBundle: null}\n",
			"apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.x}\nspec: {}\n"},
		"a GlobalSopsSecret": {
			"apiVersion: addons.projectcapsule.dev/v1alpha1\nkind: GlobalSopsSecret\nmetadata: {name: a}\n" +
				"spec: {secrets: [{name: a, stringData: {a: 'ENC[AES256_GCM,data:x]'}}]}\nsops: {mac: x}\n", ""},
		"a file that is encrypted in a ConfigMap": {
			configMap("a") + "data: {x.json: '{\"a\": \"ENC[AES256_GCM,data:x]\"}', x.yaml: 'a: ENC[AES256_GCM,x]'}\n", ""},
		"a SopsSecret": {
			"apiVersion: isindir.github.com/v1alpha3\nkind: SopsSecret\nmetadata: {name: a}\nsops: {mac: x}\n", ""},
		"the last exact number": {application +
			"spec: {size: 9007199254740992, min: -9007199254740992, f: 0.1}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			object, err := prepared(t, test.text)
			require.NoError(t, err)
			if test.without != "" {
				want, err := prepared(t, test.without)
				require.NoError(t, err)
				assert.Equal(t, want.Object, object.Object)
			}
		})
	}
}
