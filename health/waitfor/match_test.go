package waitfor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/theory/jsonpath"
	"sigs.k8s.io/yaml"

	"strata/health/waitfor"
)

// waits are the expressions that the layers use, by the name of their file in testdata. For a new
// expression, add a line here and a file with one object that ends the wait and objects that must
// not end it.
var waits = map[string]waitfor.Expression{
	"crd-established":    waitfor.Condition("Established"),
	"metallb-pool":       waitfor.Exists("{.status.availableIPv4}"),
	"service-address":    waitfor.Exists("{.status.loadBalancer.ingress[0].ip}"),
	"metallb-controller": waitfor.Equals("{.status.result}", "Valid"),
	"webhook-bundle":     waitfor.Exists("{.webhooks[0].clientConfig.caBundle}"),
	"route-accepted": waitfor.ConditionOn(
		`{.status.parents[?@.controllerName=="traefik.io/gateway-controller"]}`, "Accepted"),
	"application-synced": waitfor.Combine(waitfor.Equals("{.status.sync.status}", "Synced"),
		waitfor.Equals("{.status.health.status}", "Healthy")),
}

type waitFixture struct {
	Match    []sample `json:"match"`
	NotMatch []sample `json:"notMatch"`
}

type sample struct {
	Name   string         `json:"name"`
	Object map[string]any `json:"object"`
}

func TestWaitExpressionsMatchOnlyReadyObjects(t *testing.T) {
	for name, wait := range waits {
		text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
		require.NoError(t, err)
		var fixture waitFixture
		require.NoError(t, yaml.UnmarshalStrict(text, &fixture))
		require.NotEmptyf(t, fixture.Match, "%s: no object that ends the wait", name)
		require.NotEmptyf(t, fixture.NotMatch, "%s: no object that must not", name)
		for _, s := range fixture.Match {
			t.Run(name+"/"+s.Name, func(t *testing.T) {
				assert.True(t,
					matches(t, wait, s.Object))
			})
		}
		for _, s := range fixture.NotMatch {
			t.Run(name+"/"+s.Name, func(t *testing.T) {
				assert.False(t,
					matches(t, wait, s.Object))
			})
		}
	}
}

func TestEveryFixtureBelongsToWaitExpression(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		assert.Contains(t, waits, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
}

// matches evaluates an annotation as the provider does (pulumi-kubernetes
// provider/pkg/metadata/overrides.go and provider/pkg/jsonpath). Every part must hold for the same
// object. If a path has several results, the first counts. An object whose status is of an older
// generation matches nothing.
func matches(t *testing.T, wait waitfor.Expression, object map[string]any) bool {
	t.Helper()
	parts := []string{wait.String()}
	if strings.HasPrefix(wait.String(), "[") {
		require.NoError(t, json.Unmarshal([]byte(wait.String()), &parts))
	}
	for _, part := range parts {
		if !matchesPart(t, part, object) {
			return false
		}
	}
	return true
}

func matchesPart(t *testing.T, part string, object map[string]any) bool {
	t.Helper()
	if stale(object, at(object, "$.status.observedGeneration")) {
		return false
	}
	if name, found := strings.CutPrefix(part, "condition="); found {
		return conditionTrue(object, name)
	}
	path, value := split(t, strings.TrimPrefix(part, "jsonpath="))
	found := at(object, "$"+path)
	if len(found) == 0 {
		return false
	}
	return value == "" || fmt.Sprint(found[0]) == value
}

// split parses an annotation as the provider before 4.32 did: it cuts the text at every = that is
// not part of ==.
func split(t *testing.T, raw string) (path, value string) {
	t.Helper()
	parts := strings.Split(strings.ReplaceAll(raw, "==", "\x00"), "=")
	require.LessOrEqual(t, len(parts), 2)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "\x00", "==")
	}
	path = strings.TrimSuffix(strings.TrimPrefix(parts[0], "{"), "}")
	if len(parts) == 2 {
		value = parts[1]
	}
	return path, value
}

func at(object map[string]any, path string) []any {
	return jsonpath.MustParse(path).Select(object)
}

func stale(object map[string]any, observed []any) bool {
	generation := at(object, "$.metadata.generation")
	return len(observed) > 0 && len(generation) > 0 &&
		observed[0].(float64) < generation[0].(float64)
}

func conditionTrue(object map[string]any, name string) bool {
	for _, c := range at(object, "$.status.conditions[*]") {
		c := c.(map[string]any)
		if strings.EqualFold(fmt.Sprint(c["type"]), name) &&
			strings.EqualFold(fmt.Sprint(c["status"]), "True") {
			return !stale(object, at(c, "$.observedGeneration"))
		}
	}
	return false
}
