package webhook

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
)

func TestWebhookGateWatchesConfiguredResources(t *testing.T) {
	w := &webhookWatch{spec: Spec{Configuration: "c", Namespace: "n", Service: "s"}}
	resources := func() []string {
		var names []string
		for _, s := range w.sources() {
			names = append(names, s.Resource.Resource)
		}
		return names
	}
	assert.Equal(t, []string{"validatingwebhookconfigurations", "endpointslices", "services"},
		resources())
	w.spec.Mutating, w.spec.CASecret = true, "ca"
	w.workloads = []kube.WorkloadRef{{Namespace: "n", Kind: "DaemonSet", Name: "d"},
		{Namespace: "n", Kind: "StatefulSet", Name: "s"},
		{Namespace: "n", Kind: "Deployment", Name: "e"}}
	assert.Equal(t, []string{"mutatingwebhookconfigurations", "endpointslices", "services",
		"secrets", "daemonsets", "pods", "statefulsets", "pods", "deployments", "pods"},
		resources())
	w.spec.Mutates, w.workloads = "m", nil
	assert.Equal(t, []string{"mutatingwebhookconfigurations", "endpointslices", "services",
		"mutatingwebhookconfigurations", "secrets"}, resources())

	group, version := splitVersion(map[string]any{"apiVersion": "metallb.io/v1beta1"})
	assert.Equal(t, []string{"metallb.io", "v1beta1"}, []string{group, version})
	group, version = splitVersion(map[string]any{"apiVersion": "v1"})
	assert.Equal(t, []string{"", "v1"}, []string{group, version})
}

func TestWebhookGateReportsNothingBeforeFirstObservation(t *testing.T) {
	w := &webhookWatch{hosts: []health.Host{{Role: "server"}}}
	w.hosts[0].Name = "server-1"
	assert.Nil(t, w.judge())
	w.seen, w.facts.Hosts.Address = true, "10.43.7.7:443"
	from := func() health.Verdict { v := w.judge(); return v[len(v)-1] }
	assert.Equal(t, "webhook from server-1", from().Check)
	assert.Equal(t, "not asked yet", from().Message)

	news := make(chan struct{}, 1)
	w.takeRuns("10.43.9.9:443", []host.Run{{Host: "server-1", Seen: true}}, news)
	assert.Equal(t, "not asked yet", from().Message, "the answer of an earlier address")
	assert.Empty(t, news)
	w.takeRuns("10.43.7.7:443", []host.Run{{Host: "server-1", Seen: true}}, news)
	assert.Equal(t, health.Ready, from().State)
	assert.Len(t, news, 1)
	spec := Spec{Port: 443}
	assert.Equal(t, "timeout 3 bash -c ': </dev/tcp/10.43.7.7/443'",
		connectionTo(spec, "10.43.7.7:443").Command())
	assert.Equal(t, "timeout 3 bash -c ': </dev/tcp/fd00::7/443'",
		connectionTo(spec, "[fd00::7]:443").Command())
}

func TestObjectChangeCancelsDryRunOlderThanHalfSecond(t *testing.T) {
	start := time.Unix(0, 0)
	now, ended := start, 0
	p := &probe{now: func() time.Time { return now }, started: start, cancel: func() { ended++ },
		wake: make(chan struct{}, 1)}
	now = start.Add(probePatience)
	p.kick()
	assert.Zero(t, ended)
	now = now.Add(1)
	p.kick()
	assert.Equal(t, 1, ended)
}

// During a rollout, an old Pod may refuse. kube-proxy sends requests to the new Pod a moment later.
func TestWebhookRefusalIsTimedFromEndOfRollout(t *testing.T) {
	old := &probe{facts: probeFacts{Server: "s:6443", Accept: answer{Kind: answerDenied}, Seconds: 60}}
	w := &webhookWatch{seen: true, probes: []*probe{old}, facts: webhookFacts{
		Configuration: configurationFacts{Hooks: []hookFacts{{Name: "h", Covers: true}}},
		Endpoints:     kube.EndpointFacts{Ready: []string{"10.42.1.5"}}}}
	for ago, want := range map[time.Duration]health.State{
		time.Second: health.Waiting, time.Minute: health.Stuck,
	} {
		w.rolledOutAt = time.Now().Add(-ago)
		verdicts := w.judge()
		at := slices.IndexFunc(verdicts, func(v health.Verdict) bool {
			return v.Check == "webhook through s:6443"
		})
		assert.Equal(t, want, verdicts[at].State, ago)
	}
}
