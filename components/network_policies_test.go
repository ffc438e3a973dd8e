package components

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// admitted returns the rules of a policy, a line each.
func admitted(t *testing.T, spec pulumi.Map) (rules []string) {
	t.Helper()
	assert.Equal(t, pulumi.ToStringArray([]string{"Ingress"}), spec["policyTypes"])
	for _, one := range spec["ingress"].(pulumi.Array) {
		rule, who, ports := one.(pulumi.Map), "everyone", []string{}
		if from, some := rule["from"].(pulumi.Array); some {
			require.Len(t, from, 1)
			namespace := from[0].(pulumi.Map)["namespaceSelector"].(pulumi.Map)["matchLabels"].(pulumi.Map)
			who = string(namespace["kubernetes.io/metadata.name"].(pulumi.String))
		}
		if listed, some := rule["ports"].(pulumi.Array); some {
			require.NotEmpty(t, listed, "a rule without ports opens all")
			for _, port := range listed {
				ports = append(ports, fmt.Sprintf("%d/%s", port.(pulumi.Map)["port"],
					port.(pulumi.Map)["protocol"]))
			}
		}
		rules = append(rules, strings.TrimSpace(who+" "+strings.Join(ports, " ")))
	}
	return rules
}

func TestLayerPolicyOpensOnlyServedPorts(t *testing.T) {
	want := map[string][]string{
		"metallb-system": {"everyone 7472/TCP 9120/TCP 9443/TCP"},
		"cert-manager":   {"everyone 9402/TCP 10250/TCP"},
		"traefik":        {"everyone 8000/TCP 8000/UDP 8443/TCP 8443/UDP 9100/TCP 9100/UDP"},
		"apisix":         {"everyone 8080/TCP 9443/TCP"},
		"argocd": {
			"everyone 5558/TCP 7000/TCP 8080/TCP 8082/TCP 8083/TCP 8084/TCP 8087/TCP 9001/TCP 9121/TCP", "argocd",
		},
		"vault": {"cert-manager"},
		"wave":  {"everyone 8080/TCP 9443/TCP"},
	}
	for namespace, policy := range layerPolicies {
		assert.Equal(t, want[namespace], admitted(t, policy.spec(config.Values{})), namespace)
	}
	assert.Len(t, layerPolicies, len(want))
}

func TestLayerPolicyOpensThePortsOfTheUsersValues(t *testing.T) {
	values := config.Values{Tree: map[string]any{
		"ports": map[string]any{"postgres": map[string]any{"port": int64(5432),
			"exposedPort": int64(5432)}},
		"deployment": map[string]any{"replicas": int64(3)},
		"webhook":    map[string]any{"list": []any{int64(10260), int64(70000), int64(-1), "text"}},
	}}
	rules := admitted(t, layerPolicies[traefikName].spec(values))
	assert.Equal(t, []string{"everyone 5432/TCP 5432/UDP 8000/TCP 8000/UDP 8443/TCP 8443/UDP " +
		"9100/TCP 9100/UDP 10260/TCP 10260/UDP"}, rules)
	assert.False(t, slices.Contains(layerPolicies[traefikName].open, 5432),
		"the table is left alone")
}
