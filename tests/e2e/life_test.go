package e2e

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"strata/tests/bench"
)

const (
	// bundleK3s is the version of the lab's K3s. nextK3s is the version that upgrades install: the
	// same binary with its version text replaced.
	bundleK3s, nextK3s = "v1.36.3+k3s1", "v1.36.4+k3s1"
	// brokenK3s is a version without a verified copy in Strata's cache. Otherwise Strata would find
	// that copy by the checksum, and not read the broken file.
	brokenK3s = "v1.36.9+k3s1"
	// lateK3s is a release that skips a minor version.
	lateK3s = "v1.38.2+k3s1"
	// otherReleases is the reason to skip steps if the bundle has upstream's K3s.
	otherReleases = "the other releases are the lab's K3s with another version's text in it"
)

// TestLife upgrades a cluster while it serves. An impossible upgrade
// must be reported before it begins, or when it stops.
func TestLife(t *testing.T) {
	t.Parallel()
	net := network{"stg0", "10.25.0"}
	all := []node{
		{"server-1", "server", 11}, {"server-2", "server", 12}, {"server-3", "server", 13},
		{"agent-1", "agent", 21}, {"agent-2", "agent", 22},
	}
	hosts := existingHosts(t, "e2eg", net, all...)
	sections := platform(hosts, all...)
	sections["argocd"] = map[string]any{"enabled": false}
	sections["apps"] = map[string]any{"workloads": []any{defaultShop()}}
	sections["upgrade"] = map[string]any{"concurrency": 2}
	s := newStack(t, "e2e-life", sections)
	s.step("the first update succeeds, and a Service answers", func(t *testing.T) {
		s.must(s.up())
		serve(t, s.client(), "hello")
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.step("gates name faults, and open again after them", func(t *testing.T) {
		hosts.serveEmptyRegistry(t)
		s.breaks(t, hosts, 0, sampled(t))
	})
	s.step("an impossible upgrade is refused before the first change", func(t *testing.T) {
		needsTheLabs(t, labsK3s, otherReleases)
		s.refusesUpgrades(t, hosts)
	})
	next := "STRATA_ARTIFACTS=" + bundle
	if isTheLabs(t, labsK3s) {
		next = "STRATA_ARTIFACTS=" + s.bundleWithK3s(t, nextK3s)
	}
	s.step("a drain that a disruption budget blocks is named", func(t *testing.T) {
		needsTheLabs(t, labsK3s, otherReleases)
		s.with(next, func() { s.namesABlockedDrain(t, sections) })
	})
	s.ahead(hosts, "the next update completes a killed upgrade under load", func(t *testing.T) {
		needsTheLabs(t, labsK3s, otherReleases)
		s.with(next, func() { s.upgradesThoughKilled(t, hosts) })
	})
	s.ahead(hosts, "a deleted server is replaced under its old name", func(t *testing.T) {
		s.with(next, func() { s.replacesADeadServer(t, hosts) })
	})
	s.ahead(hosts, "a snapshot is restored after the loss of the quorum", func(t *testing.T) {
		s.with(next, func() { s.comesBack(t, hosts) })
	})
	s.ahead(hosts, "the API's address moves when its server dies", func(t *testing.T) {
		s.with(next, func() { s.hasAnAddress(t, hosts, sections) })
	})
	s.step("destroy", func(*testing.T) { s.must(s.destroy()) })
}

// bundleWithK3s returns the bundle with another release of K3s. It replaces the version in the
// program by a text of the same length.
func (s *stack) bundleWithK3s(t *testing.T, version string) string {
	t.Helper()
	require.Len(t, version, len(bundleK3s))
	other := s.otherBundle(t, "k3s/k3s", func(path string) string {
		program, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(program), bundleK3s, "the lab's K3s is another release: see tests/lab/internal/catalog")
		require.NoError(t, os.Remove(path), "it is a link to the bundle's own")
		require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(program, []byte(bundleK3s), []byte(version)), 0o755))
		return sumOf(t, path)
	})
	s.editManifest(t, other, func(entry map[string]any) {
		if entry["name"] == "k3s" {
			entry["version"] = version
		}
	})
	return other
}

// refusesUpgrades asserts that Strata refuses a skipped minor version and a binary with a wrong
// checksum, and changes no node.
func (s *stack) refusesUpgrades(t *testing.T, hosts *hostSet) {
	before := s.kubelets(t)
	s.with("STRATA_ARTIFACTS="+s.bundleWithK3s(t, lateK3s), func() {
		r := s.up()
		require.Error(t, r.err)
		assert.Contains(t, r.output, "gate hosts-server-1-gate: stuck")
		assert.Contains(t, r.output, lateK3s+" skips a minor version after "+bundleK3s)
		assert.Contains(t, r.output, "set strata:k3s.version to a v1.37 release first")
		preflight := s.run(strata, "preflight", "--stack", s.name, "--config-file", s.config)
		require.Error(t, preflight.err)
		assert.Contains(t, preflight.output, lateK3s+" skips a minor version")
	})
	s.with("STRATA_ARTIFACTS="+s.bundleWithABrokenK3s(t), func() {
		r := s.up()
		require.Error(t, r.err)
		assert.Contains(t, r.output, "sha256")
		assert.Contains(t, r.output, "k3s/k3s")
	})
	assert.Equal(t, before, s.kubelets(t))
	for _, n := range hosts.nodes {
		assert.Contains(t, hosts.must(n.name, "k3s --version"), bundleK3s)
	}
	s.must(s.up())
}

// bundleWithABrokenK3s returns the bundle with a K3s whose checksum differs from the manifest.
func (s *stack) bundleWithABrokenK3s(t *testing.T) string {
	t.Helper()
	other := s.bundleWithK3s(t, brokenK3s)
	file, err := os.OpenFile(other+"/k3s/k3s", os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("x")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return other
}

// namesABlockedDrain runs a Pod on server-1 with a disruption budget that permits no eviction. The
// upgrade must stop there, name the budget, and leave all nodes unchanged.
func (s *stack) namesABlockedDrain(t *testing.T, sections map[string]any) {
	deployments, budgets := s.client().AppsV1().Deployments("default"), s.client().PolicyV1().PodDisruptionBudgets("default")
	pinned, err := deployments.Get(t.Context(), "hello", metav1.GetOptions{})
	require.NoError(t, err)
	labels, one, none := map[string]string{"app": "pinned"}, int32(1), intstr.FromInt32(0)
	_, err = deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "pinned"},
		Spec: appsv1.DeploymentSpec{Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				Containers: pinned.Spec.Template.Spec.Containers, NodeSelector: map[string]string{"kubernetes.io/hostname": "server-1"},
			},
		}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = budgets.Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "pinned"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &none, Selector: &metav1.LabelSelector{MatchLabels: labels}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func(c require.TestingT) {
		budget, err := budgets.Get(context.Background(), "pinned", metav1.GetOptions{})
		require.NoError(c, err)
		require.Equal(c, int32(1), budget.Status.CurrentHealthy)
	})
	before := s.kubelets(t)
	r := s.refusedWithin(t, 15*time.Second, func(limit string) result {
		s.configure(withTimeouts(sections, "drain", limit))
		return s.up()
	}, "upgrade of server-1 from "+bundleK3s+" to "+nextK3s+": not drained: 1 still on it: default/pinned-",
		"The disruption budget pinned needs 1 healthy pods and has 1 currently")
	assert.Regexp(t, `strata:timeouts\.drain is \d`, r.output)
	nodes, err := s.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, node := range nodes.Items {
		assert.False(t, node.Spec.Unschedulable, node.Name)
	}
	assert.Equal(t, before, s.kubelets(t))
	require.NoError(t, deployments.Delete(t.Context(), "pinned", metav1.DeleteOptions{}))
	s.configure(sections)
}

// lifeRate is the number of POSTs a second during the upgrade. lifeLeast is the least number of
// POSTs in a phase.
const lifeRate, lifeLeast = 20, 1000

// upgradesThoughKilled kills the upgrade while a server starts its new K3s. The next update
// completes it. The workload must lose no request.
func (s *stack) upgradesThoughKilled(t *testing.T, hosts *hostSet) {
	started := time.Now()
	sending := s.send(t, "shop", lifeRate)
	var outage outage
	sending.phase("upgrade", lifeLeast, func() {
		outage = s.whileAnswering(t, hosts.servers(), func() { s.killedUpConverges(t, "server-2 starts "+nextK3s) })
	})
	report := sending.end()
	posts := report.Phases[len(report.Phases)-1]
	assert.Equal(t, "upgrade", posts.Name)
	assert.GreaterOrEqual(t, posts.Sent, lifeLeast)
	assert.Zero(t, posts.Lost, "%s", report.Text())
	s.record(t, bench.None("requests_lost/upgrade", "requests", float64(posts.Lost)),
		bench.Most("requests_sent/upgrade", "requests", 0.5, 0, []float64{float64(posts.Sent)}),
		bench.Most("upgrade_wall", "s", 0.5, 0, []float64{time.Since(started).Seconds()}),
		bench.Most("upgrade_api_gap", "s", 0.5, 0, []float64{outage.api.Seconds()}),
		bench.Most("upgrade_service_gap", "s", 0.5, 0, []float64{outage.service.Seconds()}))
	t.Logf("upgraded in %s; longest time without an API server %s, without an answer of the Service %s",
		time.Since(started).Round(time.Second), outage.api.Round(time.Millisecond), outage.service.Round(time.Millisecond))
	for _, version := range s.kubelets(t) {
		assert.Equal(t, nextK3s, version)
	}
	s.healthy()
	s.must(s.up("--expect-no-changes"))
}

// record adds results to the file that E2E_RECORD names, as for `make bench`. Without that variable
// it does nothing.
func (s *stack) record(t *testing.T, results ...bench.Result) {
	t.Helper()
	if file := os.Getenv("E2E_RECORD"); file != "" {
		require.NoError(t, bench.Merge(file, results))
	}
}

// servers returns the API servers of the existing hosts, as host:port.
func (l *hostSet) servers() []string {
	var servers []string
	for _, n := range l.serverNodes() {
		servers = append(servers, l.net.address(n.host)+":6443")
	}
	return servers
}

// kubelets returns the versions that the nodes report, in the order of their names.
func (s *stack) kubelets(t *testing.T) []string {
	t.Helper()
	nodes, err := s.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var versions []string
	for _, node := range nodes.Items {
		versions = append(versions, node.Status.NodeInfo.KubeletVersion)
	}
	return versions
}
