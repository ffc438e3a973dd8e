package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestReadPrintsAFieldOrSaysWhichIsNotThere(t *testing.T) {
	client := fake.NewSimpleDynamicClient(scheme.Scheme, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "cert-manager", Name: "ca"},
		Data:       map[string][]byte{"ca.crt": []byte("PEM"), "empty": {}},
	})
	input := ReadInput{Version: "v1", Resource: "secrets", Namespace: "cert-manager", Name: "ca", Path: `{.data.ca\.crt}`, Base64: true}
	text, err := readField(t.Context(), client, input)
	require.NoError(t, err)
	assert.Equal(t, "PEM", string(text))

	for path, complaint := range map[string]string{
		`{.data.tls\.crt}`: "not found",
		`{.data.empty}`:    "empty",
		`{.metadata.name`:  "unclosed",
	} {
		input.Path = path
		_, err := readField(t.Context(), client, input)
		require.ErrorContains(t, err, complaint, path)
	}
	input.Path, input.Name = `{.metadata.name}`, "other"
	_, err = readField(t.Context(), client, input)
	require.ErrorContains(t, err, "secrets cert-manager/other")
}
