package teardown

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/namespace"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// arrivals runs Arrivals for a run whose wanted objects are new, except those in previous.
func arrivals(t *testing.T, guard Guard, previous Objects, objects ...string) ([]string, error) {
	t.Helper()
	return guard.Arrivals(t.Context(), func() (Cluster, error) {
		return holding(t, objects...),
			nil
	}, previous)
}

const (
	terminating = `{apiVersion: v1, kind: Namespace, metadata: {name: team-a, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [x]}}`
	doomed      = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: teams, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [resources-finalizer.argocd.argoproj.io]}
status: {resources: [{kind: Deployment, namespace: shop, name: web}, {kind: Namespace, name: shop}]}
`
)

func TestArrivalsReturnNamespacesStillTerminating(t *testing.T) {
	guard := Guard{Objects: Objects{kindNamespace: {"team-a", "team-b"}}}
	ending, err := arrivals(t, guard, nil, terminating,
		`{apiVersion: v1, kind: Namespace, metadata: {name: team-b}}`)
	require.NoError(t, err)
	assert.Equal(t, []string{"team-a"}, ending)
	ending, err = arrivals(t, guard, Objects{kindNamespace: {"team-b"}}, terminating)
	require.NoError(t, err)
	assert.Equal(t, []string{"team-a"}, ending, "the layer is put back")
	ending, err = arrivals(t, guard, nil)
	require.NoError(t, err)
	assert.Empty(t, ending)
}

func TestArrivalsDoNotConnectWithoutNewObjects(t *testing.T) {
	fails := func() (Cluster, error) { return Cluster{}, errors.New("no route to host") }
	ending, err := Guard{Objects: team}.Arrivals(t.Context(), fails, team)
	require.NoError(t, err)
	assert.Empty(t, ending)
	_, err = Guard{Objects: team}.Arrivals(t.Context(), fails, nil)
	require.ErrorContains(t, err, "no route to host")
}

func TestAddingArgoCDIsRefusedWhileApplicationsTerminate(t *testing.T) {
	guard := Guard{Objects: Objects{KindRelease: {"argocd/argocd"}}}
	_, err := arrivals(t, guard, nil, doomed)
	require.ErrorContains(t, err, "refused, nothing was changed: Argo CD comes")
	require.ErrorContains(t, err, "- Application teams/shop: Deployment shop/web, Namespace shop")
	require.ErrorContains(t, err, "kubectl -n teams patch applications.argoproj.io shop --type json")
	require.ErrorContains(t, err, "set strata:discard.objects to [Application/teams/shop]")

	_, err = arrivals(t, guard, guard.Objects, doomed)
	require.NoError(t, err, "Argo CD was there before: a user deletes an Application")
	for name, object := range map[string]string{
		"stays":        `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: shop, namespace: teams, finalizers: [resources-finalizer.argocd.argoproj.io]}}`,
		"manages none": `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: shop, namespace: teams, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [x]}}`,
	} {
		_, err = arrivals(t, guard, nil, object)
		require.NoError(t, err, name)
	}

	guard.Discard.Objects = []string{"Application/teams/shop"}
	_, err = arrivals(t, guard, nil, doomed)
	require.NoError(t, err, "consent")
	guard.Protected = []string{"strata:k3s.protect"}
	_, err = arrivals(t, guard, nil, doomed)
	require.ErrorContains(t, err, "set strata:k3s.protect to false, set strata:discard.objects",
		"protection refuses with any consent")
}

func TestDeletionGateHasTunnelOfGuard(t *testing.T) {
	way := tunnel.Spec{Port: 1080, Via: []remote.Hop{{Address: "10.0.0.2"}}, Agent: true}
	spec := Guard{Servers: []string{"https://10.0.0.1:6443"}, Tunnel: way,
		Existing: true}.DeletionGate("team-a")
	require.NoError(t, spec.Validate())
	assert.Equal(t, way, spec.Tunnel())
	assert.Equal(t, namespace.Spec{Name: "team-a"}, spec.Body)
	assert.True(t, spec.Existing)
	assert.False(t, Guard{Servers: spec.Servers}.DeletionGate("team-a").Tunnel().There())
}
