package applications

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/kube"
)

func TestApplicationVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "applications", judgeApplications)
}

func TestApplicationFactsShowStatusWithoutCredentials(t *testing.T) {
	object := healthtest.Decode[applicationObject](t, `
metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", annotations: {argocd.argoproj.io/refresh: normal}}
spec:
  source: {repoURL: r, path: p, targetRevision: v, helm: {values: x}}
  syncPolicy: {automated: {}}
status:
  sync: {status: Unknown, comparedTo: {source: {repoURL: r, path: p, targetRevision: v}}}
  health: {status: Degraded}
  operationState: {phase: Error, message: "clone https://user:secret@git.example.org/x failed"}
  conditions:
    - {type: SharedResourceWarning, message: w}
    - {type: ComparisonError, message: "https://token@git.example.org/x: no"}
  resources:
    - {kind: Service, name: s}
    - {kind: Deployment, namespace: ns, name: ok, health: {status: Healthy}}
    - {kind: Deployment, namespace: ns, name: a, health: {status: Degraded, message: m}}
    - {kind: Deployment, namespace: ns, name: b, health: {status: Progressing}}
    - {kind: Deployment, namespace: ns, name: c, health: {status: Missing}}
    - {kind: Deployment, namespace: ns, name: d, health: {status: Missing}}
`)
	assert.Equal(t, applicationSeen{
		Name: "a", Deleting: true, Refreshing: true, Compared: true, Automated: true,
		Sync: "Unknown", Health: "Degraded",
		Phase: "Error", Message: "clone https://…@git.example.org/x failed",
		Errors: []kube.Condition{{Type: "ComparisonError",
			Message: "https://…@git.example.org/x: no"}},
		Unhealthy: []string{"Deployment ns/a is Degraded: m",
			"Deployment ns/b is Progressing: none", "Deployment ns/c is Missing: none"},
	}, object.facts("a"))
	assert.Equal(t, applicationSeen{Name: "a", Missing: true}, (*applicationObject)(nil).facts("a"))
	assert.Equal(t, applicationSeen{Name: "a"}, (&applicationObject{}).facts("a"))
	off := healthtest.Decode[applicationObject](t,
		`spec: {syncPolicy: {automated: {enabled: false}}}`)
	assert.False(t, off.facts("a").Automated)
	on := healthtest.Decode[applicationObject](t,
		`spec: {syncPolicy: {automated: {enabled: true}}}`)
	assert.True(t, on.facts("a").Automated)
}

// ArgoCD compares an Application in the second in which its sync ends, or later. An Application
// that lacks one of the two times does not count as unseen.
func TestHealthOlderThanLastSyncIsDetected(t *testing.T) {
	for text, want := range map[string]bool{
		`{status: {reconciledAt: "2026-01-01T00:00:00Z", operationState: {finishedAt: "2026-01-01T00:00:01Z"}}}`: true,
		`{status: {reconciledAt: "2026-01-01T00:00:01Z", operationState: {finishedAt: "2026-01-01T00:00:01Z"}}}`: false,
		`{status: {reconciledAt: "2026-01-01T00:00:02Z", operationState: {finishedAt: "2026-01-01T00:00:01Z"}}}`: false,
		`{status: {reconciledAt: "2026-01-01T00:00:02Z"}}`:                                                       false,
		`{status: {operationState: {finishedAt: "2026-01-01T00:00:01Z"}}}`:                                       false,
	} {
		assert.Equal(t, want, healthtest.Decode[applicationObject](t, text).facts("a").Unseen, text)
	}
}

func TestChildrenAreArgoCDApplicationsOfSameNamespace(t *testing.T) {
	object := healthtest.Decode[applicationObject](t, `
metadata: {name: root, namespace: argocd}
status:
  resources:
    - {group: argoproj.io, kind: Application, namespace: argocd, name: a}
    - {group: argoproj.io, kind: AppProject, namespace: argocd, name: p}
    - {group: app.k8s.io, kind: Application, namespace: argocd, name: b}
    - {group: argoproj.io, kind: Application, namespace: elsewhere, name: c}
    - {group: argoproj.io, kind: Application, name: d}
`)
	assert.Equal(t, []string{"a", "d"}, object.children())
	assert.Empty(t, (*applicationObject)(nil).children())
}

func TestApplicationIsComparedIfStatusHasCurrentSource(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"same source", `{spec: {source: {repoURL: r, chart: c, targetRevision: "1"}}, status: {sync: {comparedTo: {source: {repoURL: r, chart: c, targetRevision: "1"}}}}}`, true},
		{"another revision", `{spec: {source: {repoURL: r, targetRevision: "2"}}, status: {sync: {comparedTo: {source: {repoURL: r, targetRevision: "1"}}}}}`, false},
		{"no status", `{spec: {source: {repoURL: r}}}`, false},
		{"neither source nor status", `{spec: {}}`, false},
		{"several sources", `{spec: {source: {repoURL: old}, sources: [{repoURL: a}, {repoURL: b}]}, status: {sync: {comparedTo: {sources: [{repoURL: a}, {repoURL: b}]}}}}`, true},
		{"one of several sources added", `{spec: {sources: [{repoURL: a}, {repoURL: b}]}, status: {sync: {comparedTo: {sources: [{repoURL: a}]}}}}`, false},
		{"hydrated", `{spec: {sourceHydrator: {drySource: {repoURL: d}}}, status: {sync: {comparedTo: {source: {repoURL: d, path: p}}}}}`, true},
		{"not hydrated yet", `{spec: {sourceHydrator: {drySource: {repoURL: d}}}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, healthtest.Decode[applicationObject](t, c.text).isSourceCompared())
		})
	}
}

func TestArgoCDMessagesMapToCauses(t *testing.T) {
	for message, cause := range map[string]string{
		"failed to list refs: authentication required: " +
			"Repository not found.": "rejects the credentials",
		"ssh: handshake failed: ssh: unable to authenticate, attempted methods " +
			"[none publickey]": "rejects the credentials",
		"failed to list refs: ssh: handshake failed: knownhosts: " +
			"key is unknown": "is not trusted",
		`Get "https://g/x": tls: failed to verify certificate: x509: certificate signed by unknown authority`: "is not trusted",
		"failed to list refs: " +
			"repository not found": "does not exist, or its credentials",
		"unable to resolve 'v9' to " +
			"a commit SHA": "no such revision",
		"revision HEAD must be resolved: couldn't find remote ref " +
			"refs/heads/x": "no such revision",
		"apps/web: app path does not exist": "path does not exist",
		`rpc error: code = Unavailable desc = connection error: desc = "transport: dial tcp 10.43.0.4:8081"`: "repo server does not answer",
		"failed to list refs: dial tcp: lookup git.example.org: " +
			"no such host": "cannot be reached",
		"failed to list refs: dial tcp 10.0.0.1:443: connect: " +
			"connection refused": "cannot be reached",
		"Manifest generation error (cached): `helm template . --name-template x` failed exit status 1": "cannot be generated",
		"application repo https://g/x is not permitted in " +
			"project 'default'": "project does not exist or does not allow",
		"Application referencing project prod which does not exist: application referencing " +
			"project prod does not exist": "project does not exist or does not allow",
		`resource mapping not found for name: "x": no matches for kind "Gateway" in version "v1"`:                  "a CRD that it uses",
		`Internal error occurred: failed calling webhook "w": dial tcp 10.43.0.9:443: connect: connection refused`: "admission webhook",
		`namespaces "apps" not found`:                           "namespace does not exist",
		`deployments.apps is forbidden: User "u" cannot create`: "may not do that",
	} {
		t.Run(message, func(t *testing.T) {
			known := causeOfSync(message)
			assert.Contains(t, known.cause, cause)
			assert.NotEmpty(t, known.hint)
		})
	}
	assert.Zero(t, causeOfSync("successfully synced"))
}

func TestApplicationsSpecErrorsNameFields(t *testing.T) {
	check := func(body health.Body) error { return healthtest.Valid(body).Validate() }
	require.NoError(t, check(Spec{Namespace: "n", Names: []string{"a"}}))
	require.ErrorContains(t, check(Spec{Names: []string{"a"}}), "applications.namespace")
	require.ErrorContains(t, check(Spec{Namespace: "n"}), "applications.names")
	require.ErrorContains(t, check(Spec{Namespace: "n", Names: []string{""}}), "applications.names")
	require.ErrorContains(t, check(healthtest.Missing[Spec](t)), "applications: missing")
}
