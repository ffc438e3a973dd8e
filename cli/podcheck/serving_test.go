package podcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/cli/podcheck"
)

// If the files have no Service, a container with a port counts as one that takes requests.
func TestContainerWithPortIsCheckedIfFilesHaveNoService(t *testing.T) {
	alone, _, _ := strings.Cut(good, "---")
	var rules []string
	for _, one := range find(t, strings.Replace(alone, probe, "", 1)).Findings {
		rules = append(rules, one.Rule)
	}
	assert.Equal(t, []string{podcheck.Readiness, podcheck.Budget}, rules)
}

func TestJobsAndKnativeServicesHaveNoFindings(t *testing.T) {
	const pod = "{containers: [{name: a, image: b, ports: [{containerPort: 80}]}], terminationGracePeriodSeconds: 60"
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n" +
		"spec: {template: {spec: " + pod + ", restartPolicy: Never}}}\n"
	knative := "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\n" +
		"spec: {template: {spec: " + pod + "}}}\n"
	assert.Empty(t, find(t, job+"---\n"+knative).Findings)

	alone := "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " + pod + "}\n"
	found := find(t, alone).Findings
	require.NotEmpty(t, found)
	assert.Equal(t, podcheck.Replicas, found[len(found)-1].Rule, "nothing replaces it")
	assert.Empty(t, find(t, strings.Replace(alone, "Seconds: 60",
		"Seconds: 60, restartPolicy: OnFailure", 1)).Findings)
}

// `helm template --namespace` writes a namespace only where the chart names one.
func TestObjectsWithoutNamespaceGetNamespaceOfTheOthers(t *testing.T) {
	named, unnamed := "name: shop, namespace: apps}", "name: shop}"
	text := strings.Replace(good, "  namespace: apps\n", "", 1)
	assert.Empty(t, find(t, text).Findings, "a Deployment without one")
	text = strings.ReplaceAll(good, named, unnamed)
	assert.Empty(t, find(t, text).Findings, "a Service and a budget without one")
	role := "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n" +
		"metadata: {name: reader, namespace: kube-system}\n"
	assert.Empty(t, find(t, text+role).Findings, "no rule needs the Role")

	quiet := strings.NewReplacer(probe, "", "ports: [{name: http, containerPort: 8080}]", "",
		"targetPort: http", "targetPort: 8080")
	report := find(t, quiet.Replace(text))
	require.Len(t, report.Findings, 1)
	assert.Equal(t, podcheck.Readiness, report.Findings[0].Rule)

	other := "---\napiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: other}\n"
	report = find(t, text+other)
	require.Len(t, report.Findings, 1, "default, because two are named")
	assert.Contains(t, report.Findings[0].Problem, "no PodDisruptionBudget selects its Pods")
}

// A native sidecar serves like a container.
func TestServingSidecarIsChecked(t *testing.T) {
	text := change{
		"          ports: [{name: http, containerPort: 8080}]\n", "",
		"      containers:\n", "      initContainers:\n        - name: proxy\n" +
			"          restartPolicy: Always\n          ports: [{name: http, containerPort: 80}]\n" +
			"      containers:\n",
	}.apply(t)
	report := find(t, text)
	require.Len(t, report.Findings, 2)
	assert.Contains(t, report.Findings[0].Problem, "container proxy has no readinessProbe")
	assert.Contains(t, report.Findings[1].Problem, "container proxy stops after 0s of preStop")
	ends := find(t, strings.Replace(text, "restartPolicy: Always", "image: migrate", 1))
	assert.Empty(t, ends.Findings, "an init container that ends serves nothing")
}
