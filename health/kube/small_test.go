package kube

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/health/healthtest"
)

func TestReadyzPassesOnlyByLastLine(t *testing.T) {
	read := func(body string) APIServerFacts {
		var f APIServerFacts
		f.read(body)
		return f
	}
	assert.Equal(t, APIServerFacts{Passed: true},
		read("[+]ping ok\n[+]etcd ok\nreadyz check passed\n"))
	assert.Equal(t, APIServerFacts{Failing: []string{"[-]etcd failed: reason withheld"}},
		read("[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n"))
	assert.Equal(t, APIServerFacts{}, read("readyz check passed\nand more\n"),
		"what comes last counts")
	assert.Equal(t, APIServerFacts{}, read("ok"), "not a verbose answer")
}

func TestNestedErrorIsShortenedToItsInnermostPart(t *testing.T) {
	tail := strings.Repeat("x", 150)
	assert.Equal(t, "b: "+tail, Innermost("a "+tail+": b: "+tail))
	assert.Equal(t, strings.Repeat("y", 157)+": z", Innermost(strings.Repeat("y", 157)+": z"),
		"160 characters are short enough")
	assert.Equal(t, "z", Innermost(strings.Repeat("y", 158)+": z"))
	assert.Equal(t, strings.Repeat("y", 300), Innermost(strings.Repeat("y", 300)),
		"without a colon there is no part")
}

func TestObjectOfUnexpectedShapeIsAnError(t *testing.T) {
	_, err := FromUnstructured[corev1.Node](&unstructured.Unstructured{Object: map[string]any{"kind": "Node",
		"spec": "text"}})
	require.ErrorContains(t, err, "Node")
	node, err := FromUnstructured[corev1.Node](&unstructured.Unstructured{
		Object: map[string]any{"metadata": map[string]any{"name": "a"}}})
	require.NoError(t, err)
	assert.Equal(t, "a", node.Name)
}

func TestPodIsReadyByConditionUnlessTerminating(t *testing.T) {
	ready := func(text string) bool { return PodReady(healthtest.Decode[corev1.Pod](t, text)) }
	assert.True(t, ready(`status: {conditions: [{type: PodScheduled, status: "True"}, {type: Ready, status: "True"}]}`))
	assert.False(t, ready(`status: {conditions: [{type: Ready, status: "False"}]}`))
	assert.False(t, ready(`status: {conditions: [{type: PodScheduled, status: "True"}]}`))
	assert.False(t, ready(`{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {conditions: [{type: Ready, status: "True"}]}}`))
	assert.False(t, ready(`metadata: {name: a}`))
}

func TestUnsetWorkloadReplicasCountAsOne(t *testing.T) {
	three := int32(3)
	assert.EqualValues(t, 1, replicas(nil))
	assert.EqualValues(t, 3, replicas(&three))
}

func TestFailedCreateEventShowsWhyPodsAreRefused(t *testing.T) {
	assert.Equal(t, "exceeded quota", failedCreate([]corev1.Event{event("u", "Other", "x", 1, 1),
		event("u", "FailedCreate", "exceeded quota", 1, 1)}))
	assert.Empty(t, failedCreate([]corev1.Event{event("u", "Other", "x", 1, 1)}))
}
