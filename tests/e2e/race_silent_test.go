package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// losesSilently runs cases in which an update without gates succeeds, although the platform does
// not work: a Service before the address pool, and Traefik before the Gateway API's CRDs.
func (s *stack) losesSilently(t *testing.T, hosts *hostSet) {
	hosts.importImages(t, "server-1", "controller", "speaker", "traefik")
	r := s.race(t, "silent")
	r.must(r.up())
	serve(t, s.client(), "hello")
	s.available(t, "race", "metallb-controller")
	s.available(t, "race", "traefik")
	t.Run("a Service before the address pool", func(t *testing.T) { s.pendsWithoutPool(t, hosts) })
	t.Run("Traefik before the Gateway API CRDs", func(t *testing.T) { s.servesNoGateway(t, hosts) })
	s.takeAway(t)
	r.must(r.destroy())
	s.definitionsGone(t)
}

// gate runs a gate of a kind by its command, as Pulumi does for a resource.
func (s *stack) gate(hosts *hostSet, kind string, input map[string]any, timeout string) result {
	return s.feed(map[string]any{
		"kind": kind, kind: input, "gate": "race", "layer": "race", "timeout": timeout,
		"timeoutKey": "none",
		"servers":    []string{"https://" + hosts.net.address(11) + ":6443"},
	}, "gate")
}

// pendsWithoutPool asserts that the Service has no address and no warning event, and that it gets
// its address once the pool exists.
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

// servesNoGateway asserts that Traefik's Pod is Ready but serves no Gateway, because it has not
// noticed the CRDs. Traefik checks for them at growing intervals. The story blocks Traefik's access
// to the API server, so that it cannot notice them too soon.
func (s *stack) servesNoGateway(t *testing.T, hosts *hostSet) {
	ingress := s.traefikAddress(t)
	programmed := map[string]any{"class": "race", "namespace": "default", "name": "race",
		"listeners": []string{"http"}}
	traefik := s.peers(t, "race", "app.kubernetes.io/name=traefik")[0]
	reach := func(action string) {
		hosts.must(traefik.node, "iptables -w 10 "+action+" INPUT -s "+traefik.address+
			" -p tcp --dport 6443 -j REJECT --reject-with tcp-reset")
	}
	reach("-I")
	s.must(s.feed(gatewayDefinitions(t), "crds", "apply"))
	came := time.Now()
	s.admitted(t, "/apis/gateway.networking.k8s.io/v1/gatewayclasses", gatewayClass)
	s.admitted(t, "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways", gateway)
	s.admitted(t, "/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes", route)
	s.refusedWithin(t, 5*time.Second, func(limit string) result {
		return s.gate(hosts, "gateway", programmed, limit)
	}, "not reconciled yet", "before the Gateway API CRDs")
	assert.Equal(t, http.StatusNotFound, requestStatus(t, ingress, "hello.test"),
		"it runs, and does not serve the route")
	s.available(t, "race", "traefik")
	reach("-D")
	s.must(s.gate(hosts, "gateway", programmed, patient))
	t.Logf("Traefik looks at the Gateway %s after the definitions came",
		time.Since(came).Round(time.Second))
	eventually(t, func(c require.TestingT) {
		require.Equal(c, http.StatusOK, requestStatus(c, ingress, "hello.test"))
	})
}
