package health

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/internal/remote"
)

func TestReadyzIsReadToItsLastLine(t *testing.T) {
	read := func(body string) apiServerFacts {
		var f apiServerFacts
		f.read(body)
		return f
	}
	assert.Equal(t, apiServerFacts{Passed: true}, read("[+]ping ok\n[+]etcd ok\nreadyz check passed\n"))
	assert.Equal(t, apiServerFacts{Failing: []string{"[-]etcd failed: reason withheld"}}, read("[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n"))
	assert.Equal(t, apiServerFacts{}, read("readyz check passed\nand more\n"), "what comes last counts")
	assert.Equal(t, apiServerFacts{}, read("ok"), "not a verbose answer")
}

func TestOfANestedErrorTheInnermostPartIsTold(t *testing.T) {
	tail := strings.Repeat("x", 150)
	assert.Equal(t, "b: "+tail, innermost("a "+tail+": b: "+tail))
	assert.Equal(t, strings.Repeat("y", 157)+": z", innermost(strings.Repeat("y", 157)+": z"), "160 characters are short enough")
	assert.Equal(t, "z", innermost(strings.Repeat("y", 158)+": z"))
	assert.Equal(t, strings.Repeat("y", 300), innermost(strings.Repeat("y", 300)), "without a colon there is no part")
}

func TestAnObjectOfAnotherShapeIsAnError(t *testing.T) {
	_, err := typed[corev1.Node](&unstructured.Unstructured{Object: map[string]any{"kind": "Node", "spec": "text"}})
	require.ErrorContains(t, err, "Node")
	node, err := typed[corev1.Node](&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a"}}})
	require.NoError(t, err)
	assert.Equal(t, "a", node.Name)
}

func TestUnitsAloneOpenNoGate(t *testing.T) {
	host := Host{Target: remote.Target{Name: "a"}, Role: "server"}
	seen := &nodesAndUnits{hosts: []Host{host}, asked: true, units: make([]unitFacts, 1)}
	seen.update(func() { seen.units[0] = unitFacts{Seen: true, Active: "active", Sub: "running"} })
	assert.Nil(t, seen.judge())
	seen.update(func() { seen.nodes = &nodesFacts{} })
	assert.Equal(t, Ready, seen.judge()[0].State)
	assert.Equal(t, Waiting, sum(seen.judge()))
}

// A route may be missing for as long as an end of it is down; the time counts from when both are up, and anew after each absence.
func TestAMissingRouteIsHeldAgainstFlannelFromWhenBothEndsAreUp(t *testing.T) {
	now := time.Unix(0, 0)
	a, b := Host{Target: remote.Target{Name: "a"}, Role: "server"}, Host{Target: remote.Target{Name: "b"}, Role: "agent"}
	up := unitFacts{Seen: true, Active: "active", Sub: "running", Routes: []string{"10.42.0.0/24", "10.42.1.0/24"}}
	cut := up
	cut.Routes = nil
	down := unitFacts{Seen: true, Active: "activating", Sub: "start"}
	seen := &nodesAndUnits{
		hosts: []Host{a, b}, asked: true, network: netip.MustParsePrefix("10.42.0.0/16"), settled: newSettled(func() time.Time { return now }),
		units: []unitFacts{down, up}, nodes: &nodesFacts{Nodes: []nodeFacts{
			{Name: "a", Server: true, PodCIDR: "10.42.0.0/24", Ready: condition{Status: "True"}, Heartbeat: heartbeatFresh},
			{Name: "b", PodCIDR: "10.42.1.0/24", Ready: condition{Status: "True"}, Heartbeat: heartbeatFresh},
		}},
	}
	after := func(seconds int, unit unitFacts) State {
		now = now.Add(time.Duration(seconds) * time.Second)
		seen.update(func() { seen.units[0] = unit })
		return sum(seen.judge())
	}
	assert.Equal(t, Waiting, after(0, down))
	assert.Equal(t, Waiting, after(routeSeconds, cut), "down until now")
	assert.Equal(t, Waiting, after(routeSeconds-1, cut))
	assert.Equal(t, Ready, after(0, up))
	assert.Equal(t, Waiting, after(1, cut), "it was there in between")
	assert.Equal(t, Stuck, after(routeSeconds, cut))
}

func TestOnlyVaultSpeaksForVault(t *testing.T) {
	assert.Empty(t, notVault(http.StatusServiceUnavailable, `{"initialized":true,"sealed":true}`))
	assert.Equal(t, "no endpoints available", notVault(http.StatusServiceUnavailable, `{"kind":"Status","message":"no endpoints available"}`))
	assert.Equal(t, "HTTP 200: <html>", notVault(http.StatusOK, "<html>"), "something else answers there")
	assert.Equal(t, "HTTP 200: {}", notVault(http.StatusOK, "{}"))
}

func TestFactsOfAPool(t *testing.T) {
	assert.Equal(t, poolSeen{Missing: true}, (*poolObject)(nil).facts())
	p := decode[poolObject](t, `
metadata: {name: p, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {addresses: [10.0.0.0/30]}
status: {availableIPv4: 1, availableIPv6: 2, assignedIPv4: 3, assignedIPv6: 4}
`)
	assert.Equal(t, poolSeen{Deleting: true, Addresses: []string{"10.0.0.0/30"}, Counted: true, Available: 3, Assigned: 7, Size: 4}, p.facts())
	assert.Equal(t, poolSeen{Addresses: []string{"10.0.0.0/30"}, Size: 4}, decode[poolObject](t, "spec: {addresses: [10.0.0.0/30]}").facts())
	assert.False(t, decode[poolObject](t, "status: {availableIPv4: 1}").facts().Counted)
	assert.False(t, decode[poolObject](t, "status: {assignedIPv4: 1}").facts().Counted)
}

func TestAPodIsReadyByItsConditionUntilItIsDeleted(t *testing.T) {
	ready := func(text string) bool { return podReady(decode[corev1.Pod](t, text)) }
	assert.True(t, ready(`status: {conditions: [{type: PodScheduled, status: "True"}, {type: Ready, status: "True"}]}`))
	assert.False(t, ready(`status: {conditions: [{type: Ready, status: "False"}]}`))
	assert.False(t, ready(`status: {conditions: [{type: PodScheduled, status: "True"}]}`))
	assert.False(t, ready(`{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {conditions: [{type: Ready, status: "True"}]}}`))
	assert.False(t, ready(`metadata: {name: a}`))
}

func TestReplicasAreOneByDefault(t *testing.T) {
	three := int32(3)
	assert.EqualValues(t, 1, replicas(nil))
	assert.EqualValues(t, 3, replicas(&three))
}

func TestARefusedPodIsFoundAmongEvents(t *testing.T) {
	assert.Equal(t, "exceeded quota", failedCreate([]corev1.Event{event("u", "Other", "x", 1, 1), event("u", "FailedCreate", "exceeded quota", 1, 1)}))
	assert.Empty(t, failedCreate([]corev1.Event{event("u", "Other", "x", 1, 1)}))
}

func TestWhatAWebhookGateLooksAt(t *testing.T) {
	w := &webhookWatch{spec: WebhookSpec{Configuration: "c", Namespace: "n", Service: "s"}}
	resources := func() []string {
		var names []string
		for _, s := range w.sources() {
			names = append(names, s.resource.Resource)
		}
		return names
	}
	assert.Equal(t, []string{"validatingwebhookconfigurations", "endpointslices", "services"}, resources())
	w.spec.Mutating, w.spec.CASecret = true, "ca"
	w.workloads = []workloadRef{{namespace: "n", kind: "DaemonSet", name: "d"}, {namespace: "n", kind: "StatefulSet", name: "s"}, {namespace: "n", kind: "Deployment", name: "e"}}
	assert.Equal(t, []string{"mutatingwebhookconfigurations", "endpointslices", "services", "secrets", "daemonsets", "pods", "statefulsets", "pods", "deployments", "pods"}, resources())
	w.spec.Mutates, w.workloads = "m", nil
	assert.Equal(t, []string{"mutatingwebhookconfigurations", "endpointslices", "services", "mutatingwebhookconfigurations", "secrets"}, resources())

	group, version := splitVersion(map[string]any{"apiVersion": "metallb.io/v1beta1"})
	assert.Equal(t, []string{"metallb.io", "v1beta1"}, []string{group, version})
	group, version = splitVersion(map[string]any{"apiVersion": "v1"})
	assert.Equal(t, []string{"", "v1"}, []string{group, version})
}

func TestThePluralIsWhatAnyServerServes(t *testing.T) {
	w := &webhookWatch{probes: []*probe{{}, {}}}
	assert.Empty(t, w.plural())
	w.probes[1].kind = &resourceKind{resource: schema.GroupVersionResource{Resource: "ipaddresspools"}}
	assert.Equal(t, "ipaddresspools", w.plural())
}

func TestAWebhookGateSaysNothingBeforeItsFirstLook(t *testing.T) {
	w := &webhookWatch{hosts: []Host{{Role: "server"}}}
	w.hosts[0].Name = "server-1"
	assert.Nil(t, w.judge())
	w.seen, w.facts.Hosts.Address = true, "10.43.7.7:443"
	from := func() Verdict { v := w.judge(); return v[len(v)-1] }
	assert.Equal(t, "webhook from server-1", from().Check)
	assert.Equal(t, "not asked yet", from().Message)

	news := make(chan struct{}, 1)
	w.takeRuns("10.43.9.9:443", []hostRun{{Host: "server-1", Seen: true}}, news)
	assert.Equal(t, "not asked yet", from().Message, "the answer of an earlier address")
	assert.Empty(t, news)
	w.takeRuns("10.43.7.7:443", []hostRun{{Host: "server-1", Seen: true}}, news)
	assert.Equal(t, Ready, from().State)
	assert.Len(t, news, 1)
	spec := WebhookSpec{Port: 443}
	assert.Equal(t, "timeout 3 bash -c ': </dev/tcp/10.43.7.7/443'", connectionTo(spec, "10.43.7.7:443").command())
	assert.Equal(t, "timeout 3 bash -c ': </dev/tcp/fd00::7/443'", connectionTo(spec, "[fd00::7]:443").command())
}

func TestADryRunHasHalfASecondBeforeNewsEndsIt(t *testing.T) {
	start := time.Unix(0, 0)
	now, ended := start, 0
	p := &probe{now: func() time.Time { return now }, started: start, cancel: func() { ended++ }, wake: make(chan struct{}, 1)}
	now = start.Add(probePatience)
	p.kick()
	assert.Zero(t, ended)
	now = now.Add(1)
	p.kick()
	assert.Equal(t, 1, ended)
}

func TestARunOnAHostPassesOnlyWhenItRan(t *testing.T) {
	assert.True(t, hostRun{Seen: true}.passed())
	assert.False(t, hostRun{}.passed())
	assert.False(t, hostRun{Seen: true, Code: 1}.passed())
	assert.False(t, hostRun{Seen: true, Fault: "connection lost"}.passed())
	assert.False(t, hostRun{Fault: "connection lost"}.passed())
	assert.False(t, hostRun{Code: 1}.passed())
}
