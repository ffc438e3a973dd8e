package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// losesSilently runs the program in cases in which updates succeed although the objects do not
// work: a Service before the address pool, and Traefik before the Gateway API's CRDs.
func (s *stack) losesSilently(t *testing.T, hosts *hostSet) {
	hosts.importImages(t, "server-1", "controller", "speaker", "traefik")
	r := s.race(t, "silent")
	r.must(r.up())
	serve(t, s.client(), "hello")
	s.available(t, "race", "metallb-controller")
	s.available(t, "race", "traefik")
	t.Run("a Service before the address pool", func(t *testing.T) { s.pendsWithoutPool(t, hosts) })
	t.Run("Traefik before the definitions", func(t *testing.T) { s.servesNoGateway(t, hosts) })
	s.takeAway(t)
	r.must(r.destroy())
	s.definitionsGone(t)
}

// gate asks one gate of a kind, as a resource of the program would.
func (s *stack) gate(hosts *hostSet, kind string, input map[string]any, timeout string) result {
	return s.feed(map[string]any{
		"kind": kind, kind: input, "gate": "race", "layer": "race", "timeout": timeout,
		"timeoutKey": "none",
		"servers":    []string{"https://" + hosts.net.address(11) + ":6443"},
	}, "gate")
}

// pendsWithoutPool asserts that the Service has neither an event nor a condition, and that it gets
// its address when the pool is created.
func (s *stack) pendsWithoutPool(t *testing.T, hosts *hostSet) {
	hello := map[string]any{"namespace": "default", "service": "hello", "ports": []int{80}}
	s.refusedWithin(t, 5*time.Second, func(limit string) result {
		return s.gate(hosts, "address",
			hello, limit)
	}, "no address yet", "no address pool")
	events, err := s.client().CoreV1().Events("default").List(t.Context(),
		metav1.ListOptions{FieldSelector: "involvedObject.kind=Service,involvedObject.name=hello"})
	require.NoError(t, err)
	for _, event := range events.Items {
		assert.NotEqual(t, corev1.EventTypeWarning, event.Type, "%s", event.Message)
	}
	s.admitted(t, "/apis/metallb.io/v1beta1/namespaces/race/ipaddresspools",
		fmt.Sprintf(racePool, hosts.net.pool()))
	s.admitted(t, "/apis/metallb.io/v1beta1/namespaces/race/l2advertisements", advertisement)
	answers(t, addressOf(t, s.client(), "hello"))
	s.must(s.gate(hosts, "address", hello, patient))
}

// servesNoGateway asserts that Traefik's Pod is Ready but has not noticed the CRDs. It looks for
// them less and less often.
func (s *stack) servesNoGateway(t *testing.T, hosts *hostSet) {
	ingress := s.traefikAddress(t)
	programmed := map[string]any{"class": "race", "namespace": "default", "name": "race",
		"listeners": []string{"http"}}
	says := []string{"not reconciled yet", "before the Gateway API CRDs"}
	var early result
	var code int
	var came time.Time
	for tries := range noticeTries {
		s.failsToList(t, "GatewayClass", 5+tries) // the next try is 13 s away or more
		s.must(s.feed(gatewayDefinitions(t), "crds", "apply"))
		came = time.Now()
		s.admitted(t, "/apis/gateway.networking.k8s.io/v1/gatewayclasses", gatewayClass)
		s.admitted(t, "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways", gateway)
		s.admitted(t, "/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes", route)
		early = s.gate(hosts, "gateway", programmed, (2 * time.Second << tries).String())
		if code = requestStatus(t, ingress, "hello.test"); code == http.StatusNotFound &&
			early.err != nil && early.says(says) {
			break
		}
		t.Log("Traefik has noticed the definitions before the story could look")
		s.must(s.feed(gatewayDefinitions(t), "crds", "remove"))
	}
	s.refused(t, early, says...)
	assert.Equal(t, http.StatusNotFound, code, "it runs, and does not serve the route")
	s.must(s.gate(hosts, "gateway", programmed, patient))
	t.Logf("Traefik looks at the Gateway %s after the definitions came",
		time.Since(came).Round(time.Second))
	eventually(t, func(c require.TestingT) {
		require.Equal(c, http.StatusOK, requestStatus(c, ingress, "hello.test"))
	})
}

// noticeTries is the number of times that the story tries to observe before Traefik notices.
const noticeTries = 4

// failsToList waits until Traefik has failed to list a kind a number of times, after which the
// pause before its next attempt is long.
func (s *stack) failsToList(t *testing.T, kind string, times int) {
	pods, err := s.client().CoreV1().Pods("race").List(t.Context(),
		metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=traefik"})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1)
	failures := func(c require.TestingT) int {
		log, err := s.client().CoreV1().Pods("race").GetLogs(pods.Items[0].Name,
			&corev1.PodLogOptions{}).DoRaw(context.Background())
		require.NoError(c, err)
		return strings.Count(string(log), "failed to list *v1."+kind+":")
	}
	before := failures(t)
	eventually(t, func(c require.TestingT) { require.GreaterOrEqual(c, failures(c), before+times) })
}
