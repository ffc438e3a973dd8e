package gates_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/applications"
	"strata/tests/gates/fakeapi"
)

const applicationText = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: {{.name}}, namespace: argocd{{if .refresh}}, annotations: {argocd.argoproj.io/refresh: normal}{{end}}}
spec:
  source: {repoURL: "https://git.example.org/platform.git", path: apps, targetRevision: {{.revision}}}
  syncPolicy: {automated: {}}
{{if .sync}}status:
  sync: {status: {{.sync}}, comparedTo: {source: {repoURL: "https://git.example.org/platform.git", path: apps, targetRevision: main}}}
  health: {status: {{.health}}}
  operationState: {phase: {{.phase}}, message: '{{.message}}'}
  resources: [{{if .brings}}{group: argoproj.io, kind: Application, namespace: argocd, name: {{.brings}}}{{end}}]
  conditions: [{{if .error}}{type: {{.error}}, message: '{{.message}}'}{{end}}]
{{end}}
`

func application(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{"name": "root", "brings": "", "refresh": false, "revision": "main",
		"sync": "Synced", "health": "Healthy", "phase": "Succeeded", "message": "", "error": ""}
	for key, value := range values {
		all[key] = value
	}
	return object(t, applicationText, all)
}

func applicationsCluster(t testing.TB) (*fakeapi.Cluster, health.Spec) {
	t.Helper()
	c := fakeapi.New(t, 2)
	c.Serve("argoproj.io/v1alpha1", "Application",
		fakeapi.Resource{Plural: "applications", Namespaced: true})
	return c, health.Spec{Servers: c.URLs(),
		Body: applications.Spec{Namespace: "argocd", Names: []string{"root"}}}
}

func TestApplicationsGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	failed := func(kind, message string) map[string]any {
		return map[string]any{"sync": "Unknown", "health": "Unknown", "error": kind,
			"message": message}
	}
	for _, fault := range []struct {
		name   string
		values map[string]any
		says   string
	}{
		{"not reconciled yet", map[string]any{"sync": ""}, "has not compared the source"},
		{"synced with an earlier revision", map[string]any{"revision": "v2"},
			"has not compared the source"},
		{"a refresh is pending", map[string]any{"refresh": true}, "a refresh is asked for"},
		{"hooks are running", map[string]any{"phase": "Running"}, "an operation is running"},
		{"out of sync", map[string]any{"sync": "OutOfSync"}, "sync is OutOfSync"},
		{"progressing", map[string]any{"health": "Progressing"}, "health is Progressing"},
		{"degraded", map[string]any{"health": "Degraded"}, "health is Degraded"},
		{"unreachable",
			failed("ComparisonError", "failed to list refs: dial tcp: lookup git.example.org: no such host"),
			"the repository cannot be reached"},
		{"no login", failed("ComparisonError", "failed to list refs: authentication required"),
			"rejects the credentials"},
		{"no manifests",
			failed("ComparisonError", "Manifest generation error (cached): helm template failed"),
			"the manifests cannot be generated"},
		{"a forbidden project",
			failed("InvalidSpecError", "application repo x is not permitted in project default"),
			"does not allow it"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec := applicationsCluster(t)
			c.Put(application(t, fault.values))
			gate := start(t, c, spec)
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			c.Put(application(t, nil))
			gate.opens()
		})
	}
}

// The root Application reports Synced and Healthy all the time, even if its children do not.
func TestApplicationsGateWaitsForChildrenOfRootApplication(t *testing.T) {
	t.Parallel()
	root := map[string]any{"brings": "middle"}
	middle := map[string]any{"name": "middle", "brings": "shop"}
	for _, fault := range []struct {
		name string
		shop map[string]any
		says string
	}{
		{"not there", nil, "1 of 2 Applications that it brings are not: shop: does not exist"},
		{"of an earlier source", map[string]any{"revision": "v2"},
			"shop: ArgoCD has not compared the source"},
		{"not synced", map[string]any{"sync": "OutOfSync"}, "shop: sync is OutOfSync"},
		{"not healthy", map[string]any{"health": "Progressing"},
			"shop: sync is Synced, health is Progressing"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec := applicationsCluster(t)
			c.Put(application(t, root))
			c.Put(application(t, middle))
			put := func(values map[string]any) {
				all := map[string]any{"name": "shop"}
				maps.Copy(all, values)
				c.Put(application(t, all))
			}
			if fault.shop != nil {
				put(fault.shop)
			}
			gate := start(t, c, spec)
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			put(nil)
			gate.opens()
		})
	}
}

func TestApplicationsGateIsStuckOnFailedSyncWithoutRetry(t *testing.T) {
	t.Parallel()
	c, spec := applicationsCluster(t)
	c.Put(application(t, map[string]any{
		"sync": "OutOfSync", "health": "Missing", "phase": "Failed", "error": "SyncError",
		"message": `Failed last sync attempt to abc: no matches for kind "Gateway"`,
	}))
	result := start(t, c, spec).sticks(certain)
	assert.Contains(t, result.Report(), "a CRD that it uses is not there")
}
