package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hash returns the Pod template's annotation with the hash of the configuration.
func hash(t *testing.T, g graph) string {
	return template(t, g, "metadata", "annotations", "strata/config-hash").StringValue()
}

func TestPodsAreReplacedOnlyWhenConfigurationChanges(t *testing.T) {
	before := withWorkload(t, nil).graph(t)
	assert.Equal(t, hash(t, before), hash(t, withWorkload(t, nil).graph(t)), "nothing changed")
	assert.Equal(t, hash(t, before), hash(t,
		withWorkload(t, map[string]any{"replicas": 3}).graph(t)),
		"nothing that Pods read changed")
	for name, changed := range map[string]map[string]any{
		"a file":            {"files": map[string]any{"/etc/shop/config.yaml": "a: c\n"}},
		"a secret file":     {"secretFiles": map[string]any{"/etc/shop/key": "another"}},
		"a secret variable": {"secretEnv": map[string]any{"TOKEN": "another"}},
		"a value that changes sides": {"files": map[string]any{"/etc/shop/key": "a: b\n"},
			"secretFiles": map[string]any{"/etc/shop/config.yaml": workloadSecret}},
	} {
		assert.NotEqual(t, hash(t, before), hash(t, withWorkload(t, changed).graph(t)), name)
	}
}

func TestConfigHashDependsOnSecretKey(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	p := withWorkload(t, nil)
	p.answers.Password = "another key, and the same secrets"
	other, err := p.run(nil)
	require.NoError(t, err)
	assert.NotEqual(t, hash(t, g), hash(t, other),
		"a guess at the secret could be tried against it")
	assert.Contains(t, g["workload-shop-rollout"].Text("stdin"), hash(t, g),
		"the gate runs again when it changes")
}

func TestImmutableConfigMapNamesChangeWithContent(t *testing.T) {
	name := func(changed map[string]any, role string) (object, mounted string) {
		changed["immutableConfig"] = true
		g := withWorkload(t, changed).graph(t)
		assert.True(t, at(t, g["workload-shop-"+role], "immutable").BoolValue())
		for _, volume := range template(t, g, "spec", "volumes").ArrayValue() {
			if source := volume.ObjectValue()["configMap"]; source.IsObject() {
				mounted = source.ObjectValue()["name"].StringValue()
			}
		}
		return at(t, g["workload-shop-"+role], "metadata", "name").StringValue(), mounted
	}
	first, mounted := name(map[string]any{}, "files")
	assert.Equal(t, first, mounted)
	again, _ := name(map[string]any{"secretEnv": map[string]any{"TOKEN": "another"}}, "files")
	assert.Equal(t, first, again, "another object's change leaves it as it is")
	second, _ := name(map[string]any{"files": map[string]any{"/etc/shop/config.yaml": "a: c\n"}},
		"files")
	assert.NotEqual(t, first, second)
}

// Pulumi deletes the old revision's objects at the end of the update, so Pods that restart before
// still find theirs. For that, the rollout gate must exist, even with skip.
func TestImmutableObjectsAreKeptUntilRolloutEnds(t *testing.T) {
	p := newProgram(t, "local")
	p.set(t, "apps",
		map[string]any{"workloads": []any{
			shop(map[string]any{"immutableConfig": true, "routes": nil})},
			"validate": "skip"})
	g := p.graph(t)
	assert.Empty(t, guardKnowsObjects(p, g))
	assert.True(t, g.reaches("workload-shop-rollout", "workload-shop-deployment"))
	for _, role := range []string{"files", "secret-files", "env"} {
		name := at(t, g["workload-shop-"+role], "metadata", "name").StringValue()
		assert.Contains(t, g["workload-shop-rollout"].Text("stdin"), name,
			"other objects are another revision, even with the same contents")
	}
}
