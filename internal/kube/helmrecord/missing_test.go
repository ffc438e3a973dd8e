package helmrecord

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestMissingHelmRecordIsWrittenOnce(t *testing.T) {
	client := fake.NewClientset()
	for range 2 {
		require.NoError(t, RecordMissing(t.Context(), client, "apps", "rel"))
	}
	list, err := client.CoreV1().Secrets("apps").List(t.Context(),
		metav1.ListOptions{LabelSelector: Selector("rel")})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	record, err := Decode(Newest(list.Items))
	require.NoError(t, err)
	assert.Equal(t, "failed", record["info"].(map[string]any)["status"])
	assert.Equal(t, "failed", list.Items[0].Labels["status"])
	assert.Equal(t, 1, Revision(list.Items[0]))
}

func TestMissingHelmRecordCreatesItsNamespace(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("create", "secrets",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			_, err := client.Tracker().Get(corev1.SchemeGroupVersion.WithResource("namespaces"), "", "apps")
			return apierrors.IsNotFound(err), nil, err
		})
	require.NoError(t, RecordMissing(t.Context(), client, "apps", "rel"))
	list, err := client.CoreV1().Secrets("apps").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list.Items, 1)
}
