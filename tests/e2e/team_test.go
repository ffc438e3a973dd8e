package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withTeam adds the only workload of a team to a platform, and limits the CA to the platform's
// domain.
func withTeam(platform map[string]any) map[string]any {
	return withTimeouts(merged(platform, map[string]any{
		"certManager": map[string]any{"nameConstraints": []any{"platform.test"}},
		"apps": map[string]any{"workloads": []any{map[string]any{
			"name": "orders", "namespace": "team-a", "image": testServer,
			"probes": map[string]any{"ready": "/ready"},
		}}},
	}), "namespaces", "20s")
}

// protected returns sections with k3s.protect.
func protected(sections map[string]any) map[string]any {
	return merged(sections, map[string]any{"k3s": map[string]any{"protect": true}})
}

// discarding returns sections with consent to lose objects of others in namespaces.
func discarding(sections map[string]any, namespaces ...any) map[string]any {
	return merged(sections,
		map[string]any{"discard": map[string]any{"namespaces": namespaces}})
}

// teamApplication is the API path of the team's Application. Its finalizer makes Argo CD delete all
// objects of the Application.
const teamApplication = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/team"

const teamApplicationText = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: team, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: default
  source: {repoURL: "http://127.0.0.1:1/team.git", path: ".", targetRevision: main}
  destination: {server: "https://kubernetes.default.svc", namespace: team-a}
`

// keepsTheTeamsObjects removes the last workload of a namespace, and Argo CD, from a protected
// platform. A team has a volume and an object in the namespace, and an Application. The update must
// be refused, even with consent to delete the namespaces.
func (s *stack) keepsTheTeamsObjects(t *testing.T, sections map[string]any) {
	stillThere := s.keepsInTeamA(t)
	s.admitted(t, "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications", teamApplicationText)
	less := merged(protected(sections), map[string]any{"apps": map[string]any{},
		"argocd": map[string]any{"enabled": false}})
	for _, wanted := range []map[string]any{less, discarding(less, "argocd", "team-a")} {
		s.configure(wanted)
		s.refused(t, s.up(), "refused, nothing was deleted",
			"- namespace argocd: Application argocd/team\n",
			"- namespace team-a: ConfigMap team-a/settings, volume team-a/data (1Gi)\n",
			"set strata:k3s.protect to false")
		stillThere()
		require.NoError(t, s.client().RESTClient().Get().AbsPath(teamApplication).Do(
			t.Context()).Error())
	}
	_, err := s.client().AppsV1().Deployments("team-a").Get(t.Context(), "orders", metav1.GetOptions{})
	require.NoError(t, err)
}

// keepsDeletionFromArgoCD removes Argo CD with consent. The team's Application then waits for a
// controller that is gone. Argo CD must not be installed again before the Application is gone.
func (s *stack) keepsDeletionFromArgoCD(t *testing.T, sections map[string]any) {
	s.configure(discarding(merged(sections,
		map[string]any{"argocd": map[string]any{"enabled": false}}), "argocd"))
	s.refused(t, s.up(),
		"applications.argoproj.io team (finalizers: resources-finalizer.argocd.argoproj.io)",
		"strata:timeouts.namespaces")
	s.configure(sections)
	s.refused(t, s.up(), "refused, nothing was changed: Argo CD comes",
		"- Application argocd/team: objects that its status does not name",
		"patch applications.argoproj.io team --type json",
		"set strata:discard.objects to [Application/argocd/team]")
	s.patch(t, teamApplication, `[{"op":"remove","path":"/metadata/finalizers"}]`)
	s.must(s.up())
	s.must(s.up("--expect-no-changes"))
}

// makesAnewWhatWasDeleted deletes an address pool and a route. An update with a refresh recreates
// them, and finally runs the gates that depend on them. The same update gives Argo CD's admin
// another password.
func (s *stack) makesAnewWhatWasDeleted(t *testing.T, hosts *hostSet) {
	former := s.output("argocdAdminPassword")
	session := s.session(t, former)
	hosts.must("server-1", `set -eu
k3s kubectl -n metallb-system delete ipaddresspool default
k3s kubectl -n traefik delete ingressroute dashboard`)
	s.must(s.up("--refresh", "--replace", s.urn(t, "argocd-admin-password")))
	s.answersOverTLS(t)
	s.healthy("--gate", "metallb-pool-gate")
	require.NotEqual(t, former, s.output("argocdAdminPassword"))
	require.Equal(t, http.StatusUnauthorized, s.account(t, session).code,
		"the session is older than the password")
	s.must(s.up("--expect-no-changes"))
}
