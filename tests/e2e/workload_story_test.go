package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/tools/load/attack"
)

// workloadStory is a stack with the workload shop on two nodes, so that one can be drained.
type workloadStory struct {
	*stack
	hosts *hostSet
	all   []node
	// shop is the workload's entry in the configuration, and traefik the section of the ingress.
	// Phases change them.
	shop, traefik map[string]any
}

// quickShop returns the workload with shorter times than the defaults, to save time in make test.
// Its Pods end 5 s after their deletion.
func quickShop() map[string]any {
	shop := defaultShop()
	shop["preStop"] = "5s"
	shop["longestRequest"] = "10s"
	shop["slack"] = "5s"
	shop["minReady"] = "2s"
	return shop
}

// defaultShop returns the workload with the default settings.
func defaultShop() map[string]any {
	return map[string]any{
		"name": "shop", "image": testServer, "probes": map[string]any{"ready": "/ready"},
		"routes":      []any{map[string]any{}},
		"certificate": map[string]any{}, "env": map[string]any{"VERSION": "v1", "TAKES": "100ms"},
		"files":     map[string]any{"/etc/shop/config.yaml": "currency: EUR\n"},
		"secretEnv": map[string]any{"TOKEN": "hunter2"},
	}
}

func newWorkloadStory(t *testing.T, story string, net network, shop map[string]any) *workloadStory {
	t.Helper()
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}}
	w := &workloadStory{hosts: existingHosts(t, story, net, all...), all: all, shop: shop,
		traefik: map[string]any{"address": net.address(205)}}
	w.stack = newStack(t, story, w.sections())
	return w
}

func (w *workloadStory) sections() map[string]any {
	sections := platform(w.hosts, w.all...)
	sections["traefik"], sections["argocd"] = w.traefik, map[string]any{"enabled": false}
	sections["apps"] = map[string]any{"workloads": []any{w.shop}}
	return sections
}

// apply updates the stack with the present settings of the story.
func (w *workloadStory) apply() {
	w.configure(w.sections())
	w.must(w.up())
}

// loadTool builds tools/load once, and returns its path.
var loadTool = sync.OnceValues(func() (string, error) {
	built := filepath.Join(root, ".strata/bin/load")
	output, err := exec.Command("go", "build", "-C", filepath.Join(root, "tools/load"), "-o", built,
		".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build of tools/load: %w: %s", err, output)
	}
	return built, nil
})

// sender is a running load generator.
type sender struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	file  string
	rate  int
}

// send starts sending POSTs to a host below the domain, through Traefik.
func (s *stack) send(t *testing.T, host string, rate int) *sender {
	t.Helper()
	return s.sendTo(t, "https://"+host+".platform.test/", s.output("ingressAddress"), rate)
}

// sendTo starts sending POSTs to a URL at an address.
func (s *stack) sendTo(t *testing.T, url, address string, rate int) *sender {
	t.Helper()
	dir := t.TempDir()
	ca, report := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "report.json")
	require.NoError(t, os.WriteFile(ca, []byte(s.output("caCertificate")), 0o600))
	load, err := loadTool()
	require.NoError(t, err)
	// The load has the highest priority. Requests that are sent late, and answers that are read
	// late, would count as lost.
	cmd := exec.Command("nice", "-n", "-20", load, url, "--connect-to", address+":443",
		"--ca", ca, "--rate", fmt.Sprint(rate), "--json", report, "--count-header", "X-Version")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &sender{t, cmd, stdin, report, rate}
}

// phase calls run during one phase of the requests. The phase lasts until run has returned and at
// least least requests are sent.
func (s *sender) phase(name string, least int, run func()) {
	s.t.Helper()
	_, err := fmt.Fprintln(s.stdin, name)
	require.NoError(s.t, err)
	enough := time.After(time.Duration(least) * time.Second / time.Duration(s.rate) * 12 / 10)
	run()
	<-enough
}

// end stops sending and returns the counts.
func (s *sender) end() *attack.Report {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGINT))
	_ = s.cmd.Wait() // its exit code reports lost requests
	text, err := os.ReadFile(s.file)
	require.NoError(s.t, err)
	report := &attack.Report{}
	require.NoError(s.t, json.Unmarshal(text, report))
	s.t.Logf("%s", report.Text())
	return report
}

// phases sends requests during every kind of replacement, at least least in each. The story makes
// each replacement as a user would.
func (w *workloadStory) phases(t *testing.T, rate, least int) *attack.Report {
	sending := w.send(t, "shop", rate)
	sending.phase("nothing", least/4, func() {})
	sending.phase("version rollout", least, func() {
		w.shop["env"] = map[string]any{"VERSION": "v2", "TAKES": "100ms"}
		w.apply()
		w.rolledOut(t, "apps", "shop")
	})
	sending.phase("certificate renewal", least, func() {
		w.renew(t, "apps", "shop-tls")
		w.renews(t) // also the certificate of the ingress
	})
	sending.phase("node drain", least, func() {
		w.drain(t, "agent-1")
		w.rolledOut(t, "apps", "shop")
		w.rolledOut(t, "traefik", "traefik")
	})
	w.hosts.must("server-1", "k3s kubectl uncordon agent-1")
	sending.phase("config rollout", least, func() {
		w.shop["files"] = map[string]any{"/etc/shop/config.yaml": "currency: USD\n"}
		w.apply()
		w.rolledOut(t, "apps", "shop")
	})
	sending.phase("Traefik rollout", least, func() {
		w.traefik["longestRequest"] = "31s"
		w.apply()
		w.rolledOut(t, "traefik", "traefik")
	})
	return sending.end()
}

// watchersLook is the time after the start of an API server during which an update waits until
// watchers are connected again (actions/cluster/watchers, AgainAfter).
const watchersLook = 90 * time.Second

// rollsOutBehindAStart rolls a version out as soon as the only API server answers again. It was
// stopped for so long that watchers retry only rarely. With Kubernetes older than 1.35, a start of
// K3s makes every Pod of its node unready until the first probe (docs/workloads.md). So the Pods
// must be on two nodes.
func (w *workloadStory) rollsOutBehindAStart(t *testing.T, rate int) *attack.Report {
	for name, namespace := range map[string]string{"shop": "apps", "traefik": "traefik"} {
		require.Len(t, w.nodesOf(t, namespace, name), 2, "%s: all Pods on one node", name)
	}
	sending := w.send(t, "shop", rate)
	sending.phase("start of K3s", rate, func() {
		w.hosts.must("server-1", "systemctl stop k3s && sleep 30")
		started := time.Now()
		w.hosts.must("server-1", "systemctl start k3s")
		w.shop["env"] = map[string]any{"VERSION": "v3", "TAKES": "100ms"}
		w.configure(w.sections())
		r := w.must(w.up())
		if late := r.when(t, "workload-shop-deployment updat").Sub(started); late < watchersLook {
			assert.Contains(t, r.output, "workload-shop-deployment: the API server began",
				"%s after its start", late)
		}
		w.rolledOut(t, "apps", "shop")
	})
	return sending.end()
}

// failsOverADeadIngress scales Traefik to 0, on a stack whose updates only report drift. An update
// then changes no resource, but its final check of the platform must fail.
func (w *workloadStory) failsOverADeadIngress(t *testing.T) {
	scale := func(replicas int) {
		w.hosts.must("server-1", fmt.Sprintf(
			"k3s kubectl -n traefik scale deployment traefik --replicas %d", replicas))
		w.rolledOut(t, "traefik", "traefik")
	}
	w.configure(with(w.sections(), "drift", map[string]any{"mode": "report"}))
	defer func() { w.configure(w.sections()) }()
	scale(0)
	says := []string{"the platform of stack e2ew does not work", "gate traefik-rollout: ",
		"nothing is undone"}
	w.refused(t, w.up("--expect-no-changes"), says...)
	warned := w.must(w.pulumi("preview"))
	for _, words := range says {
		assert.Contains(t, warned.output, words)
	}
	scale(2)
	w.must(w.up("--expect-no-changes"))
}

// drain drains a node like its owner, with kubectl.
func (w *workloadStory) drain(t *testing.T, name string) {
	started := time.Now()
	w.hosts.must("server-1", "timeout 900 k3s kubectl drain "+name+
		" --ignore-daemonsets --delete-emptydir-data --timeout 890s")
	t.Logf("%s is drained after %s", name, time.Since(started).Round(100*time.Millisecond))
}

// rolledOut waits until a Deployment is rolled out and none of its Pods is terminating.
func (s *stack) rolledOut(t *testing.T, namespace, name string) {
	t.Helper()
	client := s.client()
	eventually(t, func(c require.TestingT) {
		d, err := client.AppsV1().Deployments(namespace).Get(context.Background(), name,
			metav1.GetOptions{})
		require.NoError(c, err)
		pods, err := client.CoreV1().Pods(namespace).List(context.Background(),
			metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=" + name})
		require.NoError(c, err)
		require.Equal(c, d.Generation, d.Status.ObservedGeneration)
		require.Equal(c, *d.Spec.Replicas, d.Status.UpdatedReplicas)
		require.Equal(c, *d.Spec.Replicas, d.Status.AvailableReplicas)
		require.Len(c, pods.Items, int(*d.Spec.Replicas), "Pods that go are left")
	})
}

// nodesOf returns the number of a Deployment's Pods on each node.
func (s *stack) nodesOf(t *testing.T, namespace, name string) map[string]int {
	t.Helper()
	pods, err := s.client().CoreV1().Pods(namespace).List(t.Context(),
		metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=" + name})
	require.NoError(t, err)
	nodes := map[string]int{}
	for _, pod := range pods.Items {
		nodes[pod.Spec.NodeName]++
	}
	return nodes
}

// renew makes cert-manager issue a certificate again, and waits until its Secret has the new one.
func (w *workloadStory) renew(t *testing.T, namespace, name string) {
	t.Helper()
	secrets := w.client().CoreV1().Secrets(namespace)
	before, err := secrets.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	w.patch(t, "/apis/cert-manager.io/v1/namespaces/"+namespace+"/certificates/"+name+"/status", fmt.Sprintf(`[{"op":"add","path":"/status/conditions/-","value":
		{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"by the story","lastTransitionTime":%q}}]`, time.Now().UTC().Format(time.RFC3339)))
	eventually(t, func(c require.TestingT) {
		after, err := secrets.Get(context.Background(), name, metav1.GetOptions{})
		require.NoError(c, err)
		require.NotEqual(c, before.Data["tls.crt"], after.Data["tls.crt"])
	})
}
