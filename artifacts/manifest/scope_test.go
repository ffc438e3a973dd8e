package manifest

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// builtIn returns the kinds for which client-go has clients; true if the kind is namespaced, so
// that the constructor of its client takes a namespace.
func builtIn(t *testing.T) map[schema.GroupKind]bool {
	t.Helper()
	namespaced := map[schema.GroupKind]bool{}
	groups := reflect.TypeFor[kubernetes.Interface]()
	for i := range groups.NumMethod() {
		group := groups.Method(i).Type.Out(0)
		for j := range group.NumMethod() {
			client := group.Method(j).Type
			create, has := client.Out(0).MethodByName("Create")
			if !has {
				continue
			}
			object, is := reflect.New(create.Type.In(1).Elem()).Interface().(runtime.Object)
			require.True(t, is, create.Type)
			kinds, _, err := scheme.Scheme.ObjectKinds(object)
			require.NoError(t, err)
			namespaced[kinds[0].GroupKind()] = client.NumIn() == 1
		}
	}
	return namespaced
}

func TestClusterScopedMatchesClientGoForBuiltInKinds(t *testing.T) {
	kinds := builtIn(t)
	require.Greater(t, len(kinds), 60)
	clusterScoped := ClusterScoped(nil)
	for kind, namespaced := range kinds {
		assert.Equal(t, namespaced, !clusterScoped[kind], kind)
	}
}
