package webhook

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/kube"
	"strata/internal/ssh/tunnel"
	"strata/tests/gates/fakeapi"
)

func TestAPIServerMessagesMapToWebhookAnswers(t *testing.T) {
	resource := schema.GroupResource{Group: "metallb.io", Resource: "ipaddresspools"}
	call := func(why string) error {
		return apierrors.NewInternalError(
			errors.New(`failed calling webhook "x": failed to call webhook: Post "https://s.n.svc:443/v?timeout=10s": ` + why))
	}
	forbidden := func(why string) error {
		return apierrors.NewForbidden(resource, "p",
			errors.New(why))
	}
	for _, c := range []struct {
		name string
		err  error
		want answerKind
	}{
		{"accepted", nil, answerAccepted},
		{"the name is taken", apierrors.NewAlreadyExists(resource, "p"), answerAccepted},
		{"denied by a webhook", forbidden(`admission webhook "x" denied the request: no`),
			answerDenied},
		{"no endpoints", call(`no endpoints available for service "s"`), answerNoEndpoints},
		{"no Service", call(`service "s" not found`), answerNoEndpoints},
		{"refused", call("dial tcp 10.43.0.7:443: connect: connection refused"), answerRefused},
		// K3s's API server dials through its supervisor, whose error has no more details.
		{"refused, on K3s", call("proxy error from 127.0.0.1:6443 while dialing 10.42.3.16:9443, " +
			"code 502: 502 Bad Gateway"), answerNoDial},
		{"no route", call("dial tcp 10.43.0.7:443: connect: no route to host"), answerUnreachable},
		{"no network", call("dial tcp 10.43.0.7:443: connect: network is unreachable"),
			answerUnreachable},
		{"unknown authority", call("tls: failed to verify certificate: x509: certificate signed " +
			"by unknown authority"), answerUnknownCA},
		{"another name", call("tls: failed to verify certificate: x509: certificate is valid for " +
			"a, not s.n.svc"), answerName},
		{"no names", call("x509: certificate is not valid for any names, but wanted to match s.n.svc"), answerName},
		{"no IP names", call("x509: cannot validate certificate for 10.0.0.1 because it doesn't " +
			"contain any IP SANs"), answerName},
		{"expired", call("x509: certificate has expired or is not yet valid: current time"),
			answerExpired},
		{"a dial timeout", call("dial tcp 10.43.0.7:443: i/o timeout"), answerTimeout},
		{"a deadline", call("context deadline exceeded"), answerTimeout},
		{"a handshake that hangs", call("net/http: TLS handshake timeout"), answerTimeout},
		{"another webhook fault", call("EOF"), answerOther},
		{"no dry runs", apierrors.NewBadRequest(`admission webhook "x" does not support dry run`),
			answerNoDryRun},
		{"the CRD is missing", apierrors.NewNotFound(resource, ""), answerNotServed},
		{"the schema refuses", apierrors.NewInvalid(schema.GroupKind{Kind: "P"}, "p", nil),
			answerInvalid},
		{"a field is unknown", apierrors.NewBadRequest(`unknown field "spec.x"`), answerInvalid},
		{"a policy refuses", forbidden("ValidatingAdmissionPolicy 'x' denied request"),
			answerForbidden},
		{"the API server is slow", apierrors.NewTimeoutError("slow", 1), answerTimeout},
		{"the API server is starting", apierrors.NewServiceUnavailable("apiserver not ready"),
			answerAPI},
		{"the API server is busy", apierrors.NewTooManyRequests("busy", 1), answerAPI},
		{"401", apierrors.NewUnauthorized("no"), answerAPI},
		{"500", apierrors.NewInternalError(errors.New("etcdserver: leader changed")), answerOther},
		{"no answer in time", fmt.Errorf("post: %w", context.DeadlineExceeded), answerTimeout},
		{"the API server is down", errors.New(
			"dial tcp 10.10.0.11:6443: connect: connection refused"), answerAPI},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, answerOf(c.err).Kind) })
	}
}

func TestWebhookPassesResetOnFailureOrNewConfiguration(t *testing.T) {
	c := fakeapi.New(t, 1)
	c.Serve("metallb.io/v1beta1", "IPAddressPool",
		fakeapi.Resource{Plural: "ipaddresspools", Namespaced: true})
	all, err := kube.NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
	require.NoError(t, err)
	spec := Spec{Consecutive: 3, Accept: map[string]any{
		"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool",
		"metadata": map[string]any{"name": "a", "namespace": "n"},
	}}
	p := newProbe(all.Servers[0], spec, time.Now)
	assert.NotEqual(t, health.Ready, judgeProbe(spec, p.latest(0)).State, "before the first answer")
	pass := func(epoch int, counts bool) int {
		require.True(t, p.attempt(t.Context(), epoch, counts))
		return p.latest(epoch).Passes
	}
	assert.Equal(t, 0, pass(1, false), "a pass without a configuration does not count")
	assert.Equal(t, 1, pass(1, true))
	assert.Equal(t, 2, pass(1, true))
	assert.Equal(t, 1, pass(2, true), "another configuration starts anew")
	assert.Equal(t, 2, pass(2, true))
	c.Servers[0].Script(fakeapi.Script{Unavailable: true})
	assert.Equal(t, 0, pass(2, true), "a failure starts anew")
	c.Servers[0].Script(fakeapi.Script{})
	for want := range 3 {
		assert.Equal(t, want+1, pass(2, true))
	}
	assert.Equal(t, 3, pass(2, true), "no more than are needed: a count that moves is no news")
	assert.Equal(t, 0, p.latest(3).Passes, "passes of an earlier configuration are not shown")
}

func TestEmptyFieldsAreReportedAsUnfilled(t *testing.T) {
	object := map[string]any{"spec": map[string]any{
		"username": "strata", "uid": "", "none": nil, "groups": []any{}, "extra": map[string]any{},
		"zero": int64(0), "text": "x",
	}}
	paths := []string{"spec.username", "spec.zero", "spec.uid", "spec.none", "spec.groups",
		"spec.extra", "spec.absent", "spec.text.deeper"}
	assert.Equal(t, paths[2:], findUnfilled(object, paths))
	assert.Equal(t, []string{"spec.username=wave"},
		findUnfilled(object, []string{"spec.username=strata", "spec.username=wave"}),
		"another webhook's value is none")
	assert.Equal(t, []string{"a"}, findUnfilled(nil, []string{"a"}))
	assert.Empty(t, findUnfilled(nil, nil))
}

func TestDryRunsCountOnlyIfConfigurationsExist(t *testing.T) {
	assert.True(t, webhookFacts{}.hasConfigurations())
	assert.True(t, webhookFacts{Mutation: &configurationFacts{}}.hasConfigurations())
	assert.False(t, webhookFacts{APIFault: kube.APIFault{Fault: &kube.Fault{}}}.hasConfigurations())
	assert.False(t, webhookFacts{Configuration: configurationFacts{Missing: true}}.hasConfigurations())
	assert.False(t, webhookFacts{Mutation: &configurationFacts{Missing: true}}.hasConfigurations())
}

func TestHangingDryRunIsCanceledWhenObjectsChange(t *testing.T) {
	c := fakeapi.New(t, 1)
	all, err := kube.NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
	require.NoError(t, err)
	c.Servers[0].Script(fakeapi.Script{Hang: true})
	now := time.Now()
	p := newProbe(all.Servers[0], Spec{Accept: map[string]any{"apiVersion": "v1", "kind": "Pod"}},
		func() time.Time { return now })
	ended := make(chan bool, 1)
	go func() { ended <- p.attempt(t.Context(), 0, true) }()
	assert.Never(t, func() bool { p.kick(); return len(ended) > 0 }, 100*time.Millisecond,
		10*time.Millisecond, "a short one is left alone")
	p.mu.Lock()
	now = now.Add(time.Second)
	p.mu.Unlock()
	require.Eventually(t, func() bool { p.kick(); return len(ended) > 0 }, time.Second,
		5*time.Millisecond)
	assert.False(t, <-ended, "and says nothing")
}

func TestWebhookSpecRequiresValidAcceptDenyAndWorkloads(t *testing.T) {
	secrets := health.Secrets{Kubeconfig: fakeapi.KubeconfigWith(t, "https://127.0.0.1:6443",
		nil, "t")}
	object := func(kind string) map[string]any {
		return map[string]any{"apiVersion": "v1",
			"kind": kind}
	}
	for _, c := range []struct {
		name    string
		webhook Spec
		want    string
	}{
		{"nothing to accept", Spec{}, "webhook.accept"},
		{"no version", Spec{Accept: map[string]any{"kind": "Pod"}}, "webhook.accept"},
		{"another kind to deny", Spec{Accept: object("Pod"), Deny: object("Secret")},
			"webhook.deny"},
		{"a workload of no kind", Spec{Accept: object("Pod"), Workloads: []string{"a/b"}},
			"workload"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.webhook.NewWatch(healthtest.Valid(c.webhook), secrets)
			require.ErrorContains(t, err, c.want)
		})
	}
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"webhook: missing")
}
