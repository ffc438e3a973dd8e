package gatewayclass

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

const protection = "apisix.apache.org/gc-protection"

// cluster fakes an API server that keeps a deleted class as long as the class has finalizers.
func cluster(t *testing.T, finalizers []string) *fake.FakeDynamicClient {
	t.Helper()
	class := object("GatewayClass", "", "apisix")
	class.SetFinalizers(finalizers)
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{
			classes: "GatewayClassList", gateways: "GatewayList",
		}, class)
	tracker := client.Tracker()
	client.PrependReactor("delete", "gatewayclasses",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			found, err := tracker.Get(classes, "", "apisix")
			if err != nil {
				return true, nil, err
			}
			return len(found.(*unstructured.Unstructured).GetFinalizers()) > 0, nil, nil
		})
	client.PrependReactor("update", "gatewayclasses",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			changed := action.(clienttesting.UpdateAction).GetObject().(*unstructured.Unstructured)
			if len(changed.GetFinalizers()) > 0 {
				return false, nil, nil
			}
			return true, changed, tracker.Delete(classes, "", "apisix")
		})
	return client
}

func object(kind, namespace, name string) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": kind,
		"spec": map[string]any{"gatewayClassName": "apisix"}}}
	made.SetName(name)
	made.SetNamespace(namespace)
	return made
}

func TestGatewayClassIsReleasedWhenControllerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, log := cluster(t, []string{protection}), &bytes.Buffer{}
		require.NoError(t, release(t.Context(), client, "apisix", protection, log))
		assert.Contains(t, log.String(), "no controller took "+protection+" away in 10s")
		_, err := client.Resource(classes).Get(t.Context(), "apisix", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err))
		require.NoError(t, release(t.Context(), client, "apisix", protection, log),
			"a class that is gone is no error")
	})
}

func TestReleaseWaitsForRunningController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, log := cluster(t, []string{protection}), &bytes.Buffer{}
		go func() {
			time.Sleep(3 * time.Second) // the controller's own delay, in synctest's time
			_ = client.Tracker().Delete(classes, "", "apisix")
		}()
		start := time.Now()
		require.NoError(t, release(t.Context(), client, "apisix", protection, log))
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Empty(t, log.String())
	})
}

func TestGatewayClassInUseIsNotReleased(t *testing.T) {
	client := cluster(t, []string{protection})
	_, err := client.Resource(gateways).Namespace("apps").Create(t.Context(),
		object("Gateway", "apps", "mine"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, release(t.Context(), client, "apisix", protection, &bytes.Buffer{}),
		"expected no Gateway of it, found apps/mine")
	class, err := client.Resource(classes).Get(t.Context(), "apisix", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{protection}, class.GetFinalizers())
}

func TestReleaseKeepsForeignFinalizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := cluster(t, []string{"example.org/mine"})
		err := release(t.Context(), client, "apisix", protection, &bytes.Buffer{})
		require.ErrorContains(t, err, "held by example.org/mine, which is not "+protection)
	})
}

func TestReleaseFailsWhileForeignFinalizerRemains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := cluster(t, []string{protection, "example.org/mine"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := release(ctx, client, "apisix", protection, &bytes.Buffer{})
		require.ErrorContains(t, err, "is still held by example.org/mine")
	})
}

// A controller that has come back writes the class as well, which causes a conflict.
func TestReleaseRetriesOnConflict(t *testing.T) {
	for name, test := range map[string]struct {
		conflicts int
		refused   string
	}{
		"one conflict": {1, ""}, "a conflict at every try": {100,
			"take " + protection + " away from gatewayclass apisix"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := cluster(t, []string{protection})
				client.PrependReactor("update", "gatewayclasses",
					func(clienttesting.Action) (bool, runtime.Object, error) {
						test.conflicts--
						return test.conflicts >= 0, nil,
							apierrors.NewConflict(classes.GroupResource(), "apisix", nil)
					})
				err := release(t.Context(), client, "apisix", protection, &bytes.Buffer{})
				if test.refused == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, test.refused)
				assert.Positive(t, test.conflicts, "it does not try for ever")
			})
		})
	}
}
