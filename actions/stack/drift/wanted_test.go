package drift

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
)

func TestWantedObjectOmitsFieldsThatOthersSet(t *testing.T) {
	for name, test := range map[string]struct{ given, want string }{
		"a status, nulls and the provider's keys": {
			`{kind: A, metadata: {name: a, creationTimestamp: null}, status: {x: 1}, __fieldManager: m, spec: {a: null}}`,
			`{kind: A, metadata: {name: a}, spec: {}}`,
		},
		"a key of data like the provider's": {
			`{kind: ConfigMap, metadata: {name: c}, data: {__a: x}}`,
			`{kind: ConfigMap, metadata: {name: c}, data: {__a: x}}`,
		},
		"a webhook's CA": {
			`{kind: W, metadata: {name: w}, webhooks: [{name: a, clientConfig: {caBundle: Cg==, service: {name: s}}}]}`,
			`{kind: W, metadata: {name: w}, webhooks: [{name: a, clientConfig: {service: {name: s}}}]}`,
		},
		"the rules of an aggregated role": {
			`{kind: ClusterRole, metadata: {name: r}, aggregationRule: {}, rules: []}`,
			`{kind: ClusterRole, metadata: {name: r}, aggregationRule: {}}`,
		},
		"a Secret's stringData": {
			`{kind: Secret, metadata: {name: s}, stringData: {a: x}, data: {b: eQ==}}`,
			`{kind: Secret, metadata: {name: s}, data: {a: eA==, b: eQ==}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			given := parse(t, test.given).(map[string]any)
			one, err := newWanted("r", "", Manager, given)
			require.NoError(t, err)
			assert.Equal(t, parse(t, test.want), any(one.object.Object))
		})
	}
}

func TestManifestOfReleaseHasItsObjects(t *testing.T) {
	all, err := parseManifest("argocd-release", "argocd", `---
# Source: argo-cd/templates/a.yaml
apiVersion: v1
kind: Service
metadata: {name: argocd-server}
---
# nothing
---
apiVersion: v1
kind: Service
metadata: {name: kubelet, namespace: kube-system}
`)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "Service/argocd/argocd-server", all[0].title(true))
	assert.Equal(t, "Service/kube-system/kubelet", all[1].title(true))
	assert.Equal(t, "Service/argocd-server", all[0].title(false), "of a kind that is not served")
	_, err = parseManifest("argocd-release", "argocd", "kind: [")
	require.ErrorContains(t, err, "the manifest of argocd-release")
}

func TestFormerReadsReasonsFromState(t *testing.T) {
	state, err := stackstate.Parse([]byte(`{"version":3,"deployment":{"resources":[
		{"urn":"urn:pulumi:s::p::t::traefik-release","type":"kubernetes:helm.sh/v3:Release",
			"inputs":{"description":"one"}},
		{"urn":"urn:pulumi:s::p::t::pool","type":"kubernetes:metallb.io/v1beta1:IPAddressPool",
			"inputs":{"metadata":{"annotations":{"strata.dev/put-back":"two",
				"strata.dev/put-back-time":"noon"}}}},
		{"urn":"urn:pulumi:s::p::t::k3s-server-1-install","type":"command:local:Command",
			"inputs":{"environment":{"STRATA_PUT_BACK":"three"}}},
		{"urn":"urn:pulumi:s::p::t::critical","type":"kubernetes:scheduling.k8s.io/v1:PriorityClass",
			"inputs":{"description":"For critical Pods"}},
		{"urn":"urn:pulumi:s::p::t::other","type":"command:local:Command","inputs":{}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"traefik-release": "one", "pool": "noon two",
		"k3s-server-1-install": "three"}, Former(state))
}
