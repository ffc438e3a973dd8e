package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// peer is a Pod, from whose network namespace the test connects.
type peer struct{ node, address string }

// strangers runs a Pod on each node, in a namespace of no layer, and returns the Pods.
func (s *stack) strangers(t *testing.T) []peer {
	t.Helper()
	labels := map[string]string{"app": "stranger"}
	sets := s.client().AppsV1().DaemonSets("default")
	_, err := sets.Create(t.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: new(int64),
					Containers: []corev1.Container{{
						Name: "stranger", Image: testServer,
						ImagePullPolicy: corev1.PullIfNotPresent,
					}},
				},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t,
			sets.Delete(context.Background(), "stranger", metav1.DeleteOptions{}))
	})
	eventually(t, func(c require.TestingT) {
		set, err := sets.Get(context.Background(), "stranger", metav1.GetOptions{})
		require.NoError(c, err)
		require.Positive(c, set.Status.DesiredNumberScheduled)
		require.Equal(c, set.Status.DesiredNumberScheduled, set.Status.NumberAvailable)
	})
	return s.peers(t, "default", "app=stranger")
}

// peers returns the Pods of a namespace that have a label.
func (s *stack) peers(t *testing.T, namespace, label string) (found []peer) {
	t.Helper()
	pods, err := s.client().CoreV1().Pods(namespace).List(t.Context(),
		metav1.ListOptions{LabelSelector: label})
	require.NoError(t, err)
	for _, pod := range pods.Items {
		found = append(found, peer{pod.Spec.NodeName, pod.Status.PodIP})
	}
	require.NotEmpty(t, found)
	return found
}

// service returns the address of a port of a Service.
func (s *stack) service(t *testing.T, namespace, name string, port int) string {
	t.Helper()
	service, err := s.client().CoreV1().Services(namespace).Get(t.Context(), name,
		metav1.GetOptions{})
	require.NoError(t, err)
	return fmt.Sprintf("%s:%d", service.Spec.ClusterIP, port)
}

// reached returns the addresses that accept a connection from a Pod's network namespace.
func (l *hostSet) reached(from peer, addresses ...string) []string {
	return strings.Fields(l.must(from.node, `set -eu
for name in $(ip netns list | cut -d' ' -f1); do
  if ip -n "$name" -o -4 address | grep -qF ' `+from.address+`/'; then pod=$name; fi
done
for to in `+strings.Join(addresses, " ")+`; do
  if ip netns exec "$pod" nc -z -w 5 "${to%:*}" "${to#*:}"; then echo "$to"; fi
done`))
}

// keepsStrangersOut asserts that Pods outside the layers reach the public ports of Argo CD, Traefik
// and webhooks, but neither Redis nor the repository server.
func (s *stack) keepsStrangersOut(t *testing.T, hosts *hostSet) {
	served := []string{
		s.service(t, "argocd", "argocd-server", 80), s.service(t, "traefik", "traefik", 443),
		s.service(t, "cert-manager", "cert-manager-webhook", 443),
		s.service(t, "metallb-system", "metallb-webhook-service", 443),
	}
	private := []string{s.service(t, "argocd", "argocd-redis", 6379),
		s.service(t, "argocd", "argocd-repo-server", 8081)}
	for _, stranger := range s.strangers(t) {
		assert.Equal(t, served, hosts.reached(stranger, append(private, served...)...),
			"from node %s", stranger.node)
	}
	for _, own := range s.peers(t, "argocd", "app.kubernetes.io/name=argocd-server") {
		assert.Equal(t, private, hosts.reached(own, private...), "Argo CD reaches its own")
	}
}
