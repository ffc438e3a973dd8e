package components

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

// tests/graph compares the policies of all layers with golden files.
func TestLayerPolicyOpensPortsOfUserValues(t *testing.T) {
	policy := layerPolicy{pods: instanceLabel("edge"), open: []int{8000, 9100}, udp: true}
	spec := policy.spec(config.Values{Tree: map[string]any{
		"ports": map[string]any{"postgres": map[string]any{"port": int64(5432),
			"exposedPort": int64(5432)}},
		"deployment": map[string]any{"replicas": int64(3)},
		"webhook":    map[string]any{"list": []any{int64(10260), int64(70000), int64(-1), "text"}},
	}})
	var ports []int
	for _, one := range spec["ingress"].(array)[0].(object)["ports"].(array) {
		ports = append(ports, int(one.(object)["port"].(int)))
	}
	assert.Equal(t, []int{5432, 5432, 8000, 8000, 9100, 9100, 10260, 10260}, ports, "TCP and UDP")
	assert.Equal(t, []int{8000, 9100}, policy.open, "the layer's list is left alone")
}

// A rule without ports would open all ports.
func TestLayerPolicyWithoutPortsAdmitsOnlyItsNamespace(t *testing.T) {
	rules := layerPolicy{from: "cert-manager"}.spec(config.Values{})["ingress"].(array)
	assert.Len(t, rules, 1)
	assert.Contains(t, rules[0].(object), "from")
	assert.Empty(t, layerPolicy{}.spec(config.Values{})["ingress"])
}
