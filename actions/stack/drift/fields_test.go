package drift

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) (value any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &value))
	return value
}

// live is the object in the cluster, and applied the result of an apply of wanted; live if it is
// empty.
func TestOnlyFieldsThatApplyWouldChangeCount(t *testing.T) {
	const container = "spec: {containers: [{name: a, image: one}, {name: b, image: two}]}"
	for name, test := range map[string]struct {
		wanted, live, applied string
		changed               []string
	}{
		"no difference": {wanted: container, live: container},
		"another value": {wanted: "spec: {replicas: 2}", live: "spec: {replicas: 0}",
			applied: "spec: {replicas: 2}", changed: []string{"spec.replicas"}},
		"a value in another form": {wanted: "spec: {cpu: 0.5}", live: "spec: {cpu: 500m}"},
		"a field that was removed": {wanted: "data: {a: x, b: y}", live: "data: {a: x}",
			applied: "data: {a: x, b: y}", changed: []string{"data.b"}},
		"a section that was removed": {wanted: "data: {a: x}", live: "kind: ConfigMap",
			applied: "data: {a: x}", changed: []string{"data"}},
		"a key with dots": {wanted: "data: {a.yaml: x}", live: "data: {a.yaml: y}",
			applied: "data: {a.yaml: x}", changed: []string{`data["a.yaml"]`}},
		"a field that the manifest does not set": {wanted: "spec: {a: 1}",
			live: "spec: {a: 1, b: 2}", applied: "spec: {a: 1, b: 3}"},
		"a named item of a list": {wanted: container,
			live:    "spec: {containers: [{name: x}, {name: a, image: one}, {name: b, image: other}]}",
			applied: "spec: {containers: [{name: x}, {name: a, image: one}, {name: b, image: two}]}",
			changed: []string{"spec.containers[b].image"}},
		"a named item that was removed": {wanted: container,
			live: "spec: {containers: [{name: a, image: one}]}", applied: container,
			changed: []string{"spec.containers[b]"}},
		"another name of an item": {wanted: "subjects: [{kind: User, name: a}]",
			live: "subjects: [{kind: User, name: b}]", applied: "subjects: [{kind: User, name: a}]",
			changed: []string{"subjects[a]"}},
		"an item of another list": {wanted: "spec: {args: [x, y]}", live: "spec: {args: [x, z]}",
			applied: "spec: {args: [x, y]}", changed: []string{"spec.args[1]"}},
		"a longer list": {wanted: "spec: {args: [x]}", live: "spec: {args: [x, z]}",
			applied: "spec: {args: [x]}", changed: []string{"spec.args"}},
		"a default in an atomic list": {wanted: "spec: {parents: [{ref: a}]}",
			live: "spec: {parents: [{ref: a, group: b}]}"},
		// A user's webhook changes the field since the last update.
		"what a new webhook would change": {wanted: "spec: {image: one}", live: "spec: {image: one}",
			applied: "spec: {image: mirror/one}"},
	} {
		t.Run(name, func(t *testing.T) {
			applied := test.applied
			if applied == "" {
				applied = test.live
			}
			wanted, live := parse(t, test.wanted), parse(t, test.live)
			assert.Equal(t, test.changed, findChanged("", wanted, live, parse(t, applied)))
			if len(test.changed) > 0 {
				assert.False(t, contains(live, wanted), "the API server is asked")
			}
		})
	}
}

// An apply removes keys of others from a Service's selector, and not from the labels of an object.
func TestKeyThatApplyRemovesBelowSpecCounts(t *testing.T) {
	object := func(spec string) any {
		return parse(t, "{metadata: {labels: "+spec+"}, spec: {selector: "+spec+"}}")
	}
	assert.Equal(t, []string{"spec.selector.b"},
		findChanged("", object("{a: x}"), object("{a: x, b: y}"), object("{a: x}")))
}
