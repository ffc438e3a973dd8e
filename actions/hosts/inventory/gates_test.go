package inventory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
)

// A gate depends on other gates through resources between them. For example, a rollout's gate
// depends on its release, and the release depends on an earlier gate.
func TestGateListsGatesThatItDependsOn(t *testing.T) {
	const gate = `"type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata gate",` +
		`"stdin":"{\"kind\":\"server\",\"gate\":\"`
	state, err := stackstate.Parse([]byte(`{"version":3,"deployment":{"resources":[
		{"urn":"a",` + gate + `k3s-api\"}"}},
		{"urn":"b",` + gate + `k3s-nodes\"}"},"dependencies":["a"]},
		{"urn":"c","type":"kubernetes:helm.sh/v3:Release","dependencies":["b"]},
		{"urn":"d",` + gate + `traefik-rollout\"}"},"dependencies":["c","e"]},
		{"urn":"e","type":"random:index/randomId:RandomId"}]}}`))
	require.NoError(t, err)
	gates, err := Gates(state)
	require.NoError(t, err)
	below := map[string][]string{}
	for _, one := range gates {
		below[one.Spec.Gate] = one.Below
	}
	assert.Equal(t, map[string][]string{"k3s-api": nil, "k3s-nodes": {"k3s-api"},
		"traefik-rollout": {"k3s-nodes", "k3s-api"}}, below)
}
