package webhook

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/host"
	"strata/health/kube"
	"strata/internal/ssh/tunnel"
	"strata/tests/gates/fakeapi"
)

func TestFirstPassWithDenyIsRepeatedAtOnce(t *testing.T) {
	proves, unproved := Spec{Deny: map[string]any{"kind": "Pod"}}, Spec{}
	for _, c := range []struct {
		name   string
		spec   Spec
		passes int
		want   time.Duration
	}{
		{"no pass yet", proves, 0, probeInterval},
		{"the first of two", proves, 1, confirmInterval},
		{"enough", proves, consecutiveDefault, probeInterval},
		{"without Deny, passes must last for a second", unproved, 1, probeInterval},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, (&probe{spec: c.spec,
				facts: probeFacts{Passes: c.passes}}).pause())
		})
	}
	assert.GreaterOrEqual(t, (consecutiveUnproved-1)*probeInterval, 900*time.Millisecond)
}

func TestReachedWebhookWakesOnlyFailingProbes(t *testing.T) {
	w := &webhookWatch{probes: []*probe{
		{now: time.Now, wake: make(chan struct{}, 1), cancel: func() {}},
		{now: time.Now, wake: make(chan struct{}, 1), cancel: func() {},
			facts: probeFacts{Passes: 1}},
	}}
	w.facts.Hosts.Address = "10.43.7.7:443"
	news := make(chan struct{}, 1)
	w.takeRuns("10.43.7.7:443", []host.Run{{Seen: true, Code: 1}}, news)
	assert.Empty(t, w.probes[0].wake, "no client reaches it")
	w.takeRuns("10.43.7.7:443", []host.Run{{Seen: true, Code: 1}, {Seen: true}}, news)
	assert.Len(t, w.probes[0].wake, 1)
	assert.Empty(t, w.probes[1].wake)
}

// If the webhook accepted before, both dry runs are sent at once. The answer to the second one
// still counts only if the first was accepted.
func TestDenyDryRunCountsOnlyAfterAcceptDryRun(t *testing.T) {
	c := fakeapi.New(t, 1)
	c.Serve("metallb.io/v1beta1", "IPAddressPool",
		fakeapi.Resource{Plural: "ipaddresspools", Namespaced: true})
	all, err := kube.NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
	require.NoError(t, err)
	pool := func(name string) map[string]any {
		return map[string]any{"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool",
			"metadata": map[string]any{"name": name, "namespace": "n"}}
	}
	var accepts, denies atomic.Int32
	var broken atomic.Bool
	asked := make(chan struct{}, 8) // one message for each request of the deny dry run
	refusal := &fakeapi.Refusal{Code: 403, Reason: "Forbidden",
		Message: `admission webhook "x" denied the request: no`}
	c.Servers[0].Script(fakeapi.Script{Admit: func(object map[string]any) *fakeapi.Refusal {
		if object["metadata"].(map[string]any)["name"] == "deny" {
			denies.Add(1)
			asked <- struct{}{}
			return refusal
		}
		if accepts.Add(1) == 3 {
			<-asked // otherwise the attempt could end before its deny dry run arrives
		}
		if broken.Load() {
			return refusal
		}
		return nil
	}})
	p := newProbe(all.Servers[0], Spec{Accept: pool("accept"), Deny: pool("deny"),
		DenyMatch: `"x"`}, time.Now)
	for want := range 2 {
		require.True(t, p.attempt(t.Context(), 1, true))
		assert.Equal(t, want+1, p.latest(1).Passes)
		assert.EqualValues(t, want+1, denies.Load(), "asked once for each attempt")
		<-asked
	}
	broken.Store(true)
	require.True(t, p.attempt(t.Context(), 1, true))
	assert.Zero(t, p.latest(1).Passes)
	assert.Equal(t, answerDenied, p.latest(1).Accept.Kind)
	assert.Empty(t, p.latest(1).Deny.Kind)
	assert.EqualValues(t, 3, denies.Load(), "asked at once, because the first was accepted before")
	require.True(t, p.attempt(t.Context(), 1, true))
	assert.EqualValues(t, 3, denies.Load(), "not asked while the first is refused")
	assert.EqualValues(t, 4, accepts.Load())
}
