package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/crds"
)

// The platform has all layers that are enabled by default on existing hosts.
func TestPlatform(t *testing.T) {
	t.Parallel()
	net := network{"stp0", "10.18.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}}
	hosts := existingHosts(t, "e2ep", net, all...)
	sections := withManifest(t, withTeam(platform(hosts, all...)))
	s := newStack(t, "e2e-platform", protected(sections))
	const repositoryPassword = "a-password-for-git"
	s.step("the first update succeeds", func(*testing.T) { s.must(s.up()) })
	s.step("a rerun changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("every URL answers over TLS with a chain to the exported CA", s.answersOverTLS)
	s.step("each CRD belongs to a release or to a bundle of Strata", func(t *testing.T) {
		assert.Empty(t, hosts.ownerless())
	})
	s.step("the dashboard requires a password", func(t *testing.T) {
		// The test reads the dashboard's data, because a Traefik that is built from its module
		// lacks the dashboard's pages.
		address := strings.Replace(s.urls()["traefik"], "/dashboard/", "/api/rawdata", 1)
		assert.Equal(t, http.StatusUnauthorized, s.get(t, address, "").code)
		assert.Equal(t, http.StatusOK, s.get(t, address, s.output("traefikDashboardPassword")).code)
	})
	s.step("health passes", func(*testing.T) { s.healthy() })
	s.step("drift names manual changes, and one update reverts them",
		func(t *testing.T) { s.putsBackWhatWasChanged(t, hosts) })
	s.step("a workload's Pod reaches only the public ports of layers",
		func(t *testing.T) { s.keepsStrangersOut(t, hosts) })
	s.step("a certificate of the CA for another domain is refused",
		func(t *testing.T) { s.keepsToItsDomain(t, hosts) })
	s.step("a removal that would delete a team's objects is refused",
		func(t *testing.T) { s.keepsTheTeamsObjects(t, sections) })
	s.step("the root Application is deployed, a new password ends sessions", func(t *testing.T) {
		session := s.session(t, s.output("argocdAdminPassword"))
		require.Equal(t, http.StatusOK, s.account(t, session).code)
		hash, err := bcrypt.GenerateFromPassword([]byte(repositoryPassword), bcrypt.MinCost)
		require.NoError(t, err)
		s.configure(with(sections, "argocd", map[string]any{"adminPasswordHash": string(hash),
			"root": map[string]any{
				"repoURL":  serveGit(t, net.address(1), "strata", repositoryPassword, inRepository),
				"username": "strata", "password": repositoryPassword,
			}}))
		s.must(s.up())
		assert.Equal(t, http.StatusUnauthorized, s.account(t, session).code,
			"the session is older than the password")
		_, err = s.client().CoreV1().ConfigMaps("default").Get(t.Context(), "marker",
			metav1.GetOptions{})
		require.NoError(t, err)
		slow, err := s.client().AppsV1().Deployments("default").Get(t.Context(), "slow",
			metav1.GetOptions{})
		require.NoError(t, err)
		assert.EqualValues(t, 1, slow.Status.AvailableReplicas,
			"the up has waited for what the root's child brings")
		assert.NotContains(t, s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output,
			repositoryPassword)
		s.must(s.up("--expect-no-changes"))
		// With the root Application, Argo CD would delete the objects from Git, so the update must
		// be refused without consent.
		s.configure(sections)
		s.refused(t, s.up(), "refused, nothing was deleted",
			"- Application argocd/root: Application argocd/child, ConfigMap default/marker",
			"set strata:discard.objects to [Application/argocd/root]")
		_, err = s.client().CoreV1().ConfigMaps("default").Get(t.Context(), "marker",
			metav1.GetOptions{})
		require.NoError(t, err)
		s.configure(with(sections, "discard",
			map[string]any{"objects": []any{"Application/argocd/root"}}))
		s.must(s.up())
		_, err = s.client().CoreV1().ConfigMaps("default").Get(t.Context(), "marker",
			metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
	})
	s.step("Argo CD is installed again only when no Application is being deleted",
		func(t *testing.T) { s.keepsDeletionFromArgoCD(t, sections) })
	s.step("an update with a refresh recreates deleted objects",
		func(t *testing.T) { s.makesAnewWhatWasDeleted(t, hosts) })
	s.step("a renewed certificate is served, and health passes", func(t *testing.T) {
		s.renews(t)
		s.healthy()
	})
	s.step("the gate names a Certificate's missing issuer", s.namesAWrongIssuer)
	s.step("a replaced CA is restored or accepted without a lost request", func(t *testing.T) {
		s.meetsAnotherCA(t, hosts, sections)
	})
	s.step("a missing version is reported while the previous one serves", func(t *testing.T) {
		s.survivesBadUpgrades(t, hosts)
	})
	s.step("an upgrade to an existing version succeeds", s.rollsForward)
	s.step("destroy empties the state", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
	})
}

// inRepository returns the files of the root Application: an object, and a child Application with a
// slow Deployment. By default, Argo CD ignores the child in the root's health.
func inRepository(url string) map[string]string {
	return map[string]string{
		"marker.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: marker, namespace: default}\n",
		"child.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: child, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: default
  source: {repoURL: "` + url + `", path: child, targetRevision: main}
  destination: {server: "https://kubernetes.default.svc", namespace: default}
  syncPolicy: {automated: {prune: true}}
`,
		"child/slow.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: slow, namespace: default}
spec:
  minReadySeconds: 10
  selector: {matchLabels: {app: slow}}
  template:
    metadata: {labels: {app: slow}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: slow, image: "` + testServer + `"}]
`,
	}
}

// ownerless returns the CRDs in the cluster that belong to no release and to no bundle of Strata.
// Nothing would ever delete these.
func (l *hostSet) ownerless() string {
	return l.must("server-1", `k3s kubectl get customresourcedefinitions -l '!`+crds.BundleLabel+`' -o \
  jsonpath='{range .items[*]}{.metadata.annotations.meta\.helm\.sh/release-name}{" "}{.metadata.name}{"\n"}{end}' | sed -n 's/^ //p'`)
}

// platform returns the configuration of a stack with all default layers.
func platform(hosts *hostSet, nodes ...node) map[string]any {
	return map[string]any{
		"hosts":   hosts.hosts(nodes...),
		"metallb": map[string]any{"addresses": []any{hosts.net.pool()}},
		"traefik": map[string]any{"address": hosts.net.address(205)},
		"ingress": map[string]any{"domain": "platform.test"},
	}
}

func (s *stack) urls() map[string]string {
	urls := map[string]string{}
	for name, url := range s.outputs()["urls"].(map[string]any) {
		urls[name] = url.(string)
	}
	return urls
}

func (s *stack) answersOverTLS(t *testing.T) {
	assert.Equal(t, "10.18.0.205", s.output("ingressAddress"),
		"the address that the configuration asks for")
	urls := s.urls()
	require.Contains(t, urls, "traefik")
	require.Contains(t, urls, "argocd")
	assert.Equal(t, http.StatusUnauthorized, s.get(t, urls["traefik"], "").code)
	version := s.get(t, urls["argocd"]+"/api/version", "")
	assert.Equal(t, http.StatusOK, version.code)
	assert.Contains(t, version.body, "Version")
}

// reply is the answer of a URL.
type reply struct {
	code int
	body string
}

// get requests a URL like a user who trusts only the exported CA and has no DNS. password is that
// of user admin.
func (s *stack) get(t *testing.T, url, password string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	if password != "" {
		request.SetBasicAuth("admin", password)
	}
	return s.ask(t, request)
}

// ask sends a request to the ingress.
func (s *stack) ask(t *testing.T, request *http.Request) reply {
	t.Helper()
	roots := rootsOf(t, s.output("caCertificate"))
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext:     dialing(s.output("ingressAddress")),
	}}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return reply{response.StatusCode, string(body)}
}

// dialing returns a function that connects to an address instead of the URL's host name, which no
// DNS resolves.
func dialing(address string) func(ctx context.Context, network, at string) (net.Conn, error) {
	return func(ctx context.Context, network, at string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(at)
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(address, port))
	}
}

// session logs in to Argo CD as admin, and returns the token.
func (s *stack) session(t *testing.T, password string) string {
	t.Helper()
	login, err := json.Marshal(map[string]string{"username": "admin", "password": password})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		s.urls()["argocd"]+"/api/v1/session", bytes.NewReader(login))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	answered, token := s.ask(t, request), struct{ Token string }{}
	require.Equal(t, http.StatusOK, answered.code)
	require.NoError(t, json.Unmarshal([]byte(answered.body), &token))
	return token.Token
}

// account requests Argo CD's accounts with a session's token.
func (s *stack) account(t *testing.T, session string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		s.urls()["argocd"]+"/api/v1/account", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+session)
	return s.ask(t, request)
}
