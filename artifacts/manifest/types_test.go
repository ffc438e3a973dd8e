package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts/manifest"
)

const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n" +
	"  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: LABEL}}\n" +
	"    spec: {containers: [{name: a, image: b, resources: {limits: {memory: MEMORY}}}]}\n"

// Unknown fields and kinds are refused only with pinned, because a newer Kubernetes may know them.
func TestPrepareRefusesContentThatAPIServersRefuse(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
		pinned     bool // refused only with pinned
	}{
		"numbers and booleans in a ConfigMap": {configMap("a") + "data: {port: 8080, debug: true}\n",
			"mine.yaml: ConfigMap a: data.debug: expected string\n" +
				"mine.yaml: ConfigMap a: data.port: expected string", false},
		"a Secret's number": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {pin: 9007199254740993}\n",
			"mine.yaml: Secret a: stringData.pin: expected string", false},
		"a Secret's list": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: [hunter2]\n",
			"mine.yaml: Secret a: data: expected map", false},
		"invalid base64": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {b: aGk=, pin: 'hunter2!'}\n",
			"mine.yaml: Secret a: data.pin: cannot be decoded: error decoding from json: illegal base64 data at input byte 7", false},
		"two values with invalid base64": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: '!', b: '!'}\n",
			"mine.yaml: Secret a: data: cannot be decoded: error decoding from json: illegal base64 data at input byte 0", false},
		"two invalid fields of an object": {strings.NewReplacer("LABEL", "b", "MEMORY", "x").Replace(deployment) +
			"status: {conditions: [{lastUpdateTime: x}]}\n", "mine.yaml: Deployment a: object: cannot be decoded: ", false},
		"a label of a template": {strings.NewReplacer("LABEL", "2", "MEMORY", "1e9").Replace(deployment),
			"mine.yaml: Deployment a: spec.template.metadata.labels.a: expected string", false},
		"a quantity": {strings.NewReplacer("LABEL", "b", "MEMORY", "1 GB").Replace(deployment),
			"mine.yaml: Deployment a: spec.template.spec.containers: cannot be decoded: quantities must", false},
		"a field of metadata": {configMap("a, lables: {a: b}"),
			"mine.yaml: ConfigMap a: metadata.lables: field not declared in schema", true},
		"a field of a custom resource's metadata": {
			"apiVersion: example.org/v1\nkind: Toy\nmetadata: {name: a, lables: {a: b}}\nspec: {anything: 1}\n",
			"mine.yaml: Toy a: metadata.lables: field not declared in schema", true},
		"a field": {configMap("a") + "date: {a: b}\n", "mine.yaml: ConfigMap a: date: field not declared in schema", true},
		"a kind in small letters": {"apiVersion: v1\nkind: configmap\nmetadata: {name: a}\n",
			"mine.yaml: configmap a: v1 has no such kind", true},
		"capitals in a name": {configMap("Foo_Bar"),
			"mine.yaml: ConfigMap Foo_Bar: metadata.name: Invalid value: \"Foo_Bar\": a lowercase RFC 1123 subdomain", false},
		"a space in a name": {configMap("' a'"), "metadata.name: Invalid value: \" a\"", false},
		"a namespace":       {configMap("a, namespace: B"), "metadata.namespace: Invalid value: \"B\"", false},
		"a label":           {configMap("a, labels: {a: b c}"), "metadata.labels: Invalid value: \"b c\"", false},
		"a slash in a custom resource's name": {"apiVersion: example.org/v1\nkind: Toy\nmetadata: {name: a/b}\n",
			"metadata.name: Invalid value: \"a/b\"", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prepared(t, test.text)
			require.ErrorContains(t, err, test.want)
			for _, value := range []string{"hunter2", "9007199254740993"} {
				assert.NotContains(t, err.Error(), value)
			}
			objects, err := manifest.Parse("mine.yaml", []byte(test.text))
			require.NoError(t, err)
			if err = objects[0].Prepare(false); test.pinned {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
}

func TestPrepareAcceptsContentThatAPIServersAccept(t *testing.T) {
	for name, text := range map[string]string{
		"quantities and ports":      strings.NewReplacer("LABEL", "b", "MEMORY", "1e9").Replace(deployment),
		"a role's name":             "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: 'x:A'}\nrules: []\n",
		"an address's name":         "apiVersion: networking.k8s.io/v1\nkind: IPAddress\nmetadata: {name: '2001:db8::1'}\n",
		"another API server's name": "apiVersion: user.openshift.io/v1\nkind: Group\nmetadata: {name: 'system:A'}\n",
		"a kind that was removed":   "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prepared(t, text)
			require.NoError(t, err)
		})
	}
}
