package kuberead_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"

	"strata/actions/cluster/kuberead"
)

func TestReadReturnsFieldAndErrorNamesMissingField(t *testing.T) {
	client := fake.NewSimpleDynamicClient(scheme.Scheme, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "cert-manager", Name: "ca"},
		Data:       map[string][]byte{"ca.crt": []byte("PEM"), "empty": {}},
	})
	input := kuberead.FieldInput{Version: "v1", Resource: "secrets", Namespace: "cert-manager",
		Name: "ca", Path: `{.data.ca\.crt}`, Base64: true}
	text, err := read(t, client, input)
	require.NoError(t, err)
	assert.Equal(t, "PEM", string(text))

	for path, complaint := range map[string]string{
		`{.data.tls\.crt}`: "not found",
		`{.data.empty}`:    "empty",
		`{.metadata.name}`: "it is not base64",
	} {
		input.Path = path
		_, err := read(t, client, input)
		require.ErrorContains(t, err, complaint, path)
	}
	input.Path, input.Name = `{.metadata.name}`, "other"
	_, err = read(t, client, input)
	require.ErrorContains(t, err, "secrets cert-manager/other")
	input.Path = `{.metadata.name`
	_, err = input.Field()
	require.ErrorContains(t, err, "read secrets cert-manager/other {.metadata.name: unclosed")
}

func read(t *testing.T, client dynamic.Interface, input kuberead.FieldInput) ([]byte, error) {
	t.Helper()
	field, err := input.Field()
	require.NoError(t, err)
	return field.Read(t.Context(), client)
}
