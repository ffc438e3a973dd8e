package crds

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/kube"
	"strata/internal/ssh/tunnel"
	"strata/tests/gates/fakeapi"
)

func TestCRDVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "crds", judgeCRDs)
}

func TestCRDFactsHaveConditionsAndServedVersions(t *testing.T) {
	object := healthtest.Decode[crdObject](t, `
metadata: {name: widgets.example.org, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [f]}
spec: {group: example.org, names: {plural: widgets}, versions: [{name: v1, served: true}, {name: v1alpha1, served: false}, {name: v2, served: true}]}
status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "False", reason: Installing}]}
`)
	assert.Equal(t, crdFacts{
		Name: "widgets.example.org", Deleting: true, Finalizers: []string{"f"},
		Served:      []string{"v1", "v2"},
		Names:       kube.Condition{Type: "NamesAccepted", Status: "True"},
		Established: kube.Condition{Type: "Established", Status: "False", Reason: "Installing"},
	}, object.facts("widgets.example.org"))
	assert.Equal(t, []kube.ServedResource{{Group: "example.org", Version: "v1", Plural: "widgets"},
		{Group: "example.org", Version: "v2", Plural: "widgets"}}, object.servedResources())
	assert.Equal(t, crdFacts{Name: "x", Missing: true}, (*crdObject)(nil).facts("x"))
	assert.Empty(t, (*crdObject)(nil).servedResources())
	object.DeletionTimestamp = nil
	assert.False(t, object.facts("x").Deleting)
}

func TestCRDNameConflictsAreDetected(t *testing.T) {
	widget := crdNames{Plural: "widgets", Singular: "widget", ShortNames: []string{"wd"},
		Kind: "Widget", ListKind: "WidgetList"}
	for _, c := range []struct {
		name  string
		other crdNames
		want  bool
	}{
		{"plural", crdNames{Plural: "widgets", Kind: "X"}, true},
		{"a short name is the other's singular",
			crdNames{Plural: "wds", Singular: "wd", Kind: "X"}, true},
		{"kind", crdNames{Plural: "xs", Kind: "Widget"}, true},
		{"list kind", crdNames{Plural: "xs", Kind: "WidgetList"}, true},
		{"no common name", crdNames{Plural: "xs", Kind: "X"}, false},
		{"a kind equals a plural",
			crdNames{Plural: "Widget", Kind: "widgets"}, false},
		{"empty names", crdNames{}, false},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, widget.shares(c.other)) })
	}
	assert.False(t, crdNames{}.shares(crdNames{}))
}

func TestResourceIsServedWhenBothDiscoveryDocumentsListIt(t *testing.T) {
	c := fakeapi.New(t, 1)
	all, err := kube.NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
	require.NoError(t, err)
	c.Serve("example.org/v1", "Widget", fakeapi.Resource{Plural: "widgets"})
	widgets, gadgets, later := kube.ServedResource{Group: "example.org", Version: "v1",
		Plural: "widgets"}, kube.ServedResource{Group: "example.org", Version: "v1",
		Plural: "gadgets"}, kube.ServedResource{Group: "example.org", Version: "v2",
		Plural: "widgets"}
	absent := func(wanted ...kube.ServedResource) []string {
		missing, err := all.Servers[0].Absent(t.Context(), wanted)
		require.NoError(t, err)
		return missing
	}
	assert.Empty(t, absent(widgets))
	assert.Equal(t, []string{"example.org/v1 gadgets", "example.org/v2 widgets"},
		absent(widgets, gadgets, later))
	for _, script := range []fakeapi.Script{{Unlisted: []string{"example.org/v1"}}, {Unlisted: []string{"example.org/v1"}, Unaggregated: true}} {
		c.Servers[0].Script(script)
		assert.Equal(t, []string{"example.org/v1 widgets"}, absent(widgets),
			"the document about every group comes later")
	}
	c.Servers[0].Script(fakeapi.Script{Unaggregated: true})
	assert.Empty(t, absent(widgets), "a server without aggregated discovery lists versions")
	c.Servers[0].Script(fakeapi.Script{Unavailable: true})
	_, err = all.Servers[0].Absent(t.Context(), []kube.ServedResource{widgets})
	require.ErrorContains(t, err, "503")
}

func TestCRDsSpecErrorsNameFields(t *testing.T) {
	for _, c := range []struct {
		name string
		body health.Body
		want string
	}{
		{"no body", healthtest.Missing[Spec](t), "crds: missing"},
		{"no names", Spec{}, "crds.names: empty"},
		{"no group", Spec{Names: []string{"a.b", "gateways"}},
			"crds.names[1]: expected plural.group"},
		{"no plural", Spec{Names: []string{".b"}}, "crds.names[0]: expected plural.group"},
		{"a name twice", Spec{Names: []string{"a.b", "a.b"}}, "crds.names[1]: a.b is there twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.ErrorContains(t, healthtest.Valid(c.body).Validate(), c.want)
		})
	}
	require.NoError(t, healthtest.Valid(Spec{Names: []string{"a.b", "c.b"}}).Validate())
	require.ErrorContains(t, health.Spec{Body: Spec{}}.Validate(), "servers: empty")
}
