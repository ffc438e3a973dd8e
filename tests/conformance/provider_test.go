package conformance_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	rpc "github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

const kubeconfigText = `{"apiVersion":"v1","kind":"Config","current-context":"c",` +
	`"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],` +
	`"users":[{"name":"u","user":{"token":"t"}}],` +
	`"clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:PORT"}}]}`

// kubeconfigAt returns a kubeconfig of a server at a port.
func kubeconfigAt(port string) string { return strings.ReplaceAll(kubeconfigText, "PORT", port) }

func diffConfig(t *testing.T, olds, news resource.PropertyMap) *pulumirpc.DiffResponse {
	t.Helper()
	p := start(t, "kubernetes", map[string]any{"kubeconfig": kubeconfigAt("1")})
	options := rpc.MarshalOptions{KeepUnknowns: true, KeepSecrets: true}
	before, err := rpc.MarshalProperties(olds, options)
	require.NoError(t, err)
	after, err := rpc.MarshalProperties(news, options)
	require.NoError(t, err)
	response, err := p.DiffConfig(t.Context(), &pulumirpc.DiffRequest{
		Urn:  "urn:pulumi:test::conformance::pulumi:providers:kubernetes::k8s",
		Olds: before, OldInputs: before, News: after,
	})
	require.NoError(t, err)
	return response
}

func provider(port, identifier string) resource.PropertyMap {
	fields := map[string]any{"kubeconfig": kubeconfigAt(port)}
	if identifier != "" {
		fields["clusterIdentifier"] = identifier
	}
	return props(fields)
}

// unreachable returns a plugin whose cluster is down.
func unreachable(t *testing.T, environment ...string) *plugin.Resource {
	t.Helper()
	p := start(t, "kubernetes", map[string]any{"kubeconfig": kubeconfigAt("1")}, environment...)
	r := plugin.New(p, "kubernetes:core/v1:ConfigMap", "cm")
	r.ID = "default/cm"
	r.Inputs = props(configMap("cm", map[string]any{"k": "v"}, nil))
	r.State = props(configMap("cm", map[string]any{"k": "v"}, nil))
	r.State["__inputs"] = resource.NewObjectProperty(r.Inputs)
	r.State["__fieldManager"] = resource.NewStringProperty("pulumi-kubernetes-test")
	return r
}

var providerCases = []testCase{
	{"another server in the kubeconfig replaces the provider", func(t *testing.T) {
		assert.Equal(t, []string{"kubeconfig"},
			diffConfig(t, provider("1", ""), provider("2", "")).GetReplaces())
	}},
	{"a kubeconfig that is not known yet replaces the provider", func(t *testing.T) {
		news := provider("1", "")
		news["kubeconfig"] = unknown()
		assert.Equal(t, []string{"kubeconfig"},
			diffConfig(t, provider("1", ""), news).GetReplaces())
	}},
	{"an unchanged clusterIdentifier never replaces the provider", func(t *testing.T) {
		response := diffConfig(t, provider("1", "one"), provider("2", "one"))
		assert.Empty(t, response.GetReplaces())
		assert.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, response.GetChanges())
		news := provider("1", "one")
		news["kubeconfig"] = unknown()
		assert.Empty(t, diffConfig(t, provider("1", "one"), news).GetReplaces())
	}},
	{"a changed clusterIdentifier replaces the provider", func(t *testing.T) {
		response := diffConfig(t, provider("1", "one"), provider("1", "two"))
		assert.Contains(t, response.GetReplaces(), "clusterIdentifier")
	}},
	{"a new clusterIdentifier does not replace the provider", func(t *testing.T) {
		assert.Empty(t, diffConfig(t, provider("1", ""), provider("1", "one")).GetReplaces())
	}},
	{"nothing is created in a cluster that cannot be reached", func(t *testing.T) {
		r := unreachable(t)
		r.ID, r.State, r.Inputs = "", nil, nil
		err := fails(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		assert.ErrorContains(t, err, "configured Kubernetes cluster is unreachable")
	}},
	{"a preview works without the cluster", func(t *testing.T) {
		r := unreachable(t)
		r.ID, r.State, r.Inputs = "", nil, nil
		_, state, err := r.Preview(t.Context(),
			props(configMap("cm", map[string]any{"k": "v"}, nil)))
		require.NoError(t, err)
		assert.Equal(t, "v", text(state, "data", "k"))
	}},
	{"delete and refresh fail without the cluster and say what helps", func(t *testing.T) {
		r := unreachable(t)
		require.ErrorContains(t, r.Delete(t.Context()), "PULUMI_K8S_DELETE_UNREACHABLE")
		require.ErrorContains(t, r.Refresh(t.Context()), "PULUMI_K8S_DELETE_UNREACHABLE")
		assert.NotEmpty(t, r.ID)
	}},
	{"PULUMI_K8S_DELETE_UNREACHABLE drops what cannot be reached", func(t *testing.T) {
		r := unreachable(t, "PULUMI_K8S_DELETE_UNREACHABLE=true")
		require.NoError(t, r.Refresh(t.Context()))
		assert.Empty(t, r.ID)
		r = unreachable(t, "PULUMI_K8S_DELETE_UNREACHABLE=true")
		require.NoError(t, r.Delete(t.Context()))
	}},
	{"a release cannot be deleted without the cluster, whatever is set", func(t *testing.T) {
		like := unreachable(t, "PULUMI_K8S_DELETE_UNREACHABLE=true")
		r := plugin.New(like.Plugin, "kubernetes:helm.sh/v3:Release", "rel")
		r.ID, r.Inputs = "default/rel", props(map[string]any{"name": "rel", "namespace": "default",
			"chart": "x"})
		r.State = r.Inputs.Copy()
		require.ErrorContains(t, r.Delete(t.Context()),
			"can't delete Helm Release with unreachable cluster")
		require.NoError(t, r.Refresh(t.Context()))
		assert.Empty(t, r.ID)
	}},
}
