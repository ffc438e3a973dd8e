package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"strata/tests/bench"
)

// snapshotName matches the snapshot's name in the output of strata.
var snapshotName = regexp.MustCompile(`(?m)^(on-demand-\S+) on (\S+): \d+ bytes, sha256 [0-9a-f]{64}$`)

// recovered matches the recovery times in the output of strata.
var recovered = regexp.MustCompile(`recovered: the API after (\S+), every node after (\S+)`)

// comesBack takes a snapshot, deletes the workload and the data of two servers, and restores the
// snapshot. A killed restore comes first.
func (s *stack) comesBack(t *testing.T, hosts *hostSet) {
	folder := t.TempDir()
	snapshot := s.must(s.run(strata, "snapshot", "--stack", s.name, "--to", folder))
	found := snapshotName.FindStringSubmatch(snapshot.output)
	require.NotNil(t, found, snapshot.output)
	copied := filepath.Join(folder, found[1])
	info, err := os.Stat(copied)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds every Secret")
	before := s.objects(t)
	s.refusesAnothersSnapshot(t, hosts, copied)

	client := s.client()
	cached := services(t, client)
	require.NoError(t, client.AppsV1().Deployments("default").Delete(t.Context(), "hello",
		metav1.DeleteOptions{}))
	require.NoError(t, client.CoreV1().Services("default").Delete(t.Context(), "hello",
		metav1.DeleteOptions{}))
	for _, name := range []string{"server-1", "server-2"} {
		hosts.must(name, "systemctl stop k3s && rm -rf /var/lib/rancher/k3s/server/db")
	}
	last := s.must(s.run(strata, "snapshot", "--stack", s.name))
	assert.Contains(t, last.output, "k3s does not run here")
	assert.Regexp(t, `(?m)^on-demand-\S+ on server-3: `, last.output,
		"the one that has lost its quorum still has the data")
	hosts.must("server-3", "systemctl stop k3s")
	lost := s.run(strata, "snapshot", "--stack", s.name)
	require.Error(t, lost.err)
	assert.Contains(t, lost.output, "none of 3 servers could take a snapshot (see above); if "+
		"they lost their quorum: strata restore --current")
	plan := s.must(s.run(strata, "restore", "--stack", s.name, "--file", copied))
	assert.Contains(t, plan.output, "Nothing was done. With --yes:")

	// The restore is killed once the servers are stopped. A host that reboots now must not start
	// with its old data.
	s.killed(t, "servers are stopped", func() {}, strata, "restore", "--stack", s.name, "--file",
		copied, "--yes")
	for _, server := range hosts.serverNodes() {
		assert.Equal(t, "disabled", strings.TrimSpace(hosts.must(server.name,
			"systemctl is-enabled k3s || test $? = 1")), server.name)
	}
	back := s.must(s.run(strata, "restore", "--stack", s.name, "--file", copied, "--yes"))
	times := recovered.FindStringSubmatch(back.output)
	require.NotNil(t, times, back.output)
	for i, name := range []string{"recovery_api", "recovery_all"} {
		took, err := time.ParseDuration(times[i+1])
		require.NoError(t, err)
		s.record(t, bench.Most(name, "s", 0.5, 0, []float64{took.Seconds()}))
	}
	t.Logf("recovery time: the API after %s, every node after %s", times[1], times[2])
	assert.Equal(t, before, s.objects(t))
	eventually(t, func(c require.TestingT) { require.True(c, cached("hello")) },
		"a cache still has what came after the snapshot: so have those of MetalLB, CoreDNS and every controller")
	answers(t, addressOf(t, s.client(), "hello"))
	hosts.must("server-1", "! ls /var/lib/rancher/k3s/server/db/snapshots/*-ahead")
	s.healthy()
	s.must(s.up("--expect-no-changes"))
}

// services returns a lookup in a cache of the Services in namespace default. Like the caches of
// controllers, it watches the API.
func services(t *testing.T, client kubernetes.Interface) (has func(name string) bool) {
	t.Helper()
	factory := informers.NewSharedInformerFactory(client, 0)
	lister := factory.Core().V1().Services().Lister().Services("default")
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	return func(name string) bool {
		_, err := lister.Get(name)
		return err == nil
	}
}

// refusesAnothersSnapshot asserts that `strata restore` refuses a snapshot that another cluster's
// token encrypts, before it stops a server.
func (s *stack) refusesAnothersSnapshot(t *testing.T, hosts *hostSet, copied string) {
	content, err := os.ReadFile(copied)
	require.NoError(t, err)
	key := regexp.MustCompile(`/bootstrap/[0-9a-f]{12}`)
	require.Regexp(t, key, string(content))
	content = key.ReplaceAll(content[:len(content)-sha256.Size], []byte("/bootstrap/000000000000"))
	sum := sha256.Sum256(content)
	foreign := filepath.Join(t.TempDir(), "foreign")
	require.NoError(t, os.WriteFile(foreign, append(content, sum[:]...), 0o600))
	s.refused(t, s.run(strata, "restore", "--stack", s.name, "--file", foreign, "--yes"),
		"refused, nothing was changed", "is not of this cluster")
	for _, server := range hosts.serverNodes() {
		assert.Equal(t, "active", strings.TrimSpace(hosts.must(server.name,
			"systemctl is-active k3s")), server.name)
	}
	hosts.must("server-1", "! ls /var/lib/rancher/k3s/server/db/snapshots/foreign-ahead")
}

// rewritten reports whether K3s itself writes an object, given by kind and name: its certificate,
// the names of nodes for CoreDNS, and passwords of nodes, which a restore deletes.
func rewritten(what string) bool {
	return what == "Secret kube-system/k3s-serving" || what == "ConfigMap kube-system/coredns" ||
		strings.HasSuffix(what, ".node-password.k3s")
}

// objects returns the configured objects of the cluster by kind and name, with the UID and a
// checksum of the part that users write. So recreated objects and changed contents are noticed, and
// secret contents stay out of messages.
func (s *stack) objects(t *testing.T) map[string]string {
	t.Helper()
	client, all := s.client(), map[string]string{}
	note := func(kind string, object metav1.Object, written any) {
		what := kind + " " + object.GetNamespace() + "/" + object.GetName()
		if rewritten(what) {
			return
		}
		text, err := json.Marshal([]any{object.GetLabels(), written})
		require.NoError(t, err)
		all[what] = fmt.Sprintf("%s %x", object.GetUID(), sha256.Sum256(text))
	}
	deployments, err := client.AppsV1().Deployments("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range deployments.Items {
		note("Deployment", &deployments.Items[i], deployments.Items[i].Spec)
	}
	services, err := client.CoreV1().Services("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range services.Items {
		note("Service", &services.Items[i], services.Items[i].Spec)
	}
	secrets, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range secrets.Items {
		note("Secret", &secrets.Items[i], secrets.Items[i].Data)
	}
	maps, err := client.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range maps.Items {
		note("ConfigMap", &maps.Items[i], maps.Items[i].Data)
	}
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range nodes.Items { // not the taints, which follow the conditions
		note("Node", &nodes.Items[i], nodes.Items[i].Spec.PodCIDRs)
	}
	require.NotEmpty(t, all)
	return all
}
