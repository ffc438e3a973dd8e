package podcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/cli/podcheck"
)

// unreadable has changes of good that give a field a type that the API server refuses.
var unreadable = map[string]struct {
	change change
	says   string
}{
	"a label that is a number": {change{`version: "2"`, "version: 2"},
		"Deployment apps/shop: spec.template.metadata.labels.version: expected string, found number"},
	"a boolean label": {change{`version: "2"`, "canary: no"},
		"spec.template.metadata.labels.canary: expected string, found bool"},
	"replicas in quotes": {change{"replicas: 2", `replicas: "2"`},
		"spec.replicas: expected integer, found string"},
	"half a replica": {change{"replicas: 2", "replicas: 2.5"},
		"spec.replicas: expected integer, found number 2.5"},
	"a maxUnavailable that is a word": {
		change{"{maxUnavailable: 1}}", "{maxUnavailable: half}}"},
		"spec.strategy: maxUnavailable: invalid value for IntOrString"},
	"a port in quotes": {change{"containerPort: 8080", `containerPort: "8080"`},
		"spec.template.spec.containers[0].ports[0].containerPort: expected integer, found string"},
	"a grace period in quotes": {change{": 46", `: "46"`},
		"spec.template.spec.terminationGracePeriodSeconds: expected integer, found string"},
	"a variable that is a number": {
		change{"image: docker.io/acme/log:1.2.3", "env: [{name: A, value: B}, {name: C, value: 1}]"},
		"spec.template.spec.containers[1].env[1].value: expected string, found number"},
	"a CPU request that is a word": {
		change{"image: docker.io/acme/log:1.2.3", "resources: {requests: {cpu: much}}"},
		"spec.template.spec.containers[1].resources.requests.cpu: quantities must match"},
	"a Service's port in quotes": {change{"port: 80,", `port: "80",`},
		"Service apps/shop: spec.ports[0].port: expected integer, found string"},
	"a Service that selects a number": {change{"{selector: {app: shop}", "{selector: {app: 1}"},
		"Service apps/shop: spec.selector.app: expected string, found number"},
	"a budget that selects a number": {
		change{budget, "{maxUnavailable: 1, selector: {matchLabels: {version: 2}}}"},
		"PodDisruptionBudget apps/shop: spec.selector.matchLabels.version: expected string, found number"},
	"a budget with an unknown operator": {
		change{budget, "{selector: {matchExpressions: [{key: app, operator: is}]}}"},
		`PodDisruptionBudget apps/shop: spec.selector: "is" is not a valid label selector operator`},
	"a budget whose minAvailable is a word": {change{"{maxUnavailable: 1, ", "{minAvailable: half, "},
		"PodDisruptionBudget apps/shop: spec.maxUnavailable or minAvailable: "},
	"an autoscaler's number in quotes": {change{withBudget, scaler + `, minReplicas: "2"}`},
		"HorizontalPodAutoscaler apps/shop: spec.minReplicas: expected integer, found string"},
	"a Certificate's Secret that is a number": {
		change{withBudget, withBudget + "\n---\napiVersion: cert-manager.io/v1\nkind: Certificate\n" +
			"metadata: {name: a}\nspec: {secretName: 5}"},
		"Certificate a: .spec.secretName accessor error: 5 is of the type int64, expected string"},
}

func TestFieldOfWrongTypeIsAnErrorAndNoFinding(t *testing.T) {
	for name, test := range unreadable {
		t.Run(name, func(t *testing.T) {
			report := find(t, test.change.apply(t))
			require.Len(t, report.Unread, 1)
			assert.ErrorContains(t, report.Unread[0], "shop.yaml: ")
			assert.ErrorContains(t, report.Unread[0], test.says)
			assert.Empty(t, report.Findings, "what is there cannot be missed")
		})
	}
}

// The value may be a secret.
func TestErrorOfWrongTypeDoesNotQuoteValue(t *testing.T) {
	report := find(t, change{"image: docker.io/acme/log:1.2.3",
		"env: [{name: PIN, value: 4711}]"}.apply(t))
	require.Len(t, report.Unread, 1)
	assert.NotContains(t, report.Unread[0].Error(), "4711")
}

// The API server reads a null label as an empty one, so the Pod must be checked.
func TestPodWithNullLabelIsChecked(t *testing.T) {
	report := find(t, change{`version: "2"`, "version: ", probe, ""}.apply(t))
	assert.Empty(t, report.Unread)
	require.Len(t, report.Findings, 1)
	assert.Equal(t, podcheck.Readiness, report.Findings[0].Rule)
}

func TestWorkloadWithoutReadableContainersIsAnError(t *testing.T) {
	const deployment = "apps/v1 Deployment {template: {spec: {containers: "
	for object, want := range map[string]string{
		deployment + "{name: shop, image: x}}}}": "spec.template.spec.containers: expected array, found object",
		deployment + "[null]}}}":                 "spec.template.spec.containers: expected containers with names",
		deployment + "[nginx]}}}":                "spec.template.spec.containers[0]: expected object, found string",
		deployment + "[{command: [a]}]}}}":       "spec.template.spec.containers: expected containers with names",
		deployment + "[{name: a}, {name: y}]}}}": "spec.template.spec.containers[1].name: expected string, found bool",
		deployment + "[]}}}":                     "spec.template.spec.containers: expected containers with names",
		deployment + "}}}":                       "spec.template.spec.containers: expected containers with names",
		"apps/v1 StatefulSet {template: {spec: {initContainers: [{name: a}]}}}": "" +
			"spec.template.spec.containers: expected containers with names",
		"apps/v1 DaemonSet {template: {containers: [{name: a}]}}": "" +
			"spec.template.spec.containers: expected containers with names",
		"apps/v1 ReplicaSet {template: none}": "spec.template: expected object, found string",
		"v1 ReplicationController {}":         "spec.template.spec.containers: expected containers with names",
		"v1 Pod {volumes: [{name: a}]}":       "spec.containers: expected containers with names",
		"v1 PodTemplate {}":                   "template.spec.containers: expected containers with names",
		"batch/v1 Job {}":                     "spec.template.spec.containers: expected containers with names",
		"batch/v1 CronJob {jobTemplate: {spec: {template: []}}}": "" +
			"spec.jobTemplate.spec.template: expected object, found array",
		"argoproj.io/v1alpha1 Rollout {template: {}}": "spec.template.spec.containers: expected containers with names",
	} {
		t.Run(object, func(t *testing.T) {
			parts := strings.SplitN(object, " ", 3)
			report := find(t, "apiVersion: "+parts[0]+"\nkind: "+parts[1]+
				"\nmetadata: {name: a}\nspec: "+parts[2]+"\n")
			require.Len(t, report.Unread, 1)
			assert.ErrorContains(t, report.Unread[0], "shop.yaml: "+parts[1]+" a: "+want)
			assert.Empty(t, report.Without)
		})
	}
}

func TestEachFieldOfWrongTypeHasItsOwnError(t *testing.T) {
	report := find(t, change{"replicas: 2", "replicas: two", ": 46", ": long"}.apply(t))
	assert.Len(t, report.Unread, 2)
}

// Fields of a custom kind may have the names of a Pod's fields, but other types.
func TestCustomKindWithFieldsLikePodIsNoError(t *testing.T) {
	for _, fields := range []string{
		"{containers: [{name: b}], volumes: none}", "{containers: [{name: b}], volumes: {a: b}}",
		"{containers: [{name: b}], initContainers: {a: b}}",
	} {
		report := find(t, "apiVersion: example.org/v1\nkind: Plan\nmetadata: {name: a}\nspec: "+
			fields+"\n---"+strings.Replace(seed, "SECRET", "ai-ops-agent-tls", 1))
		assert.Empty(t, report.Unread, fields)
		assert.Equal(t, map[string]int{"Plan": 1}, report.Without, fields)
		assert.Len(t, report.Findings, 1, fields)
	}
	rollout := find(t, "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\n"+
		"spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: a}}\n")
	assert.Empty(t, rollout.Unread)
	assert.Equal(t, map[string]int{"Rollout": 1}, rollout.Without)
}
