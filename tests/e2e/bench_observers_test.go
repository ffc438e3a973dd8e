//go:build bench

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/internal/ssh/remote"
)

// commands returns an observer that waits until a host accepts commands as root over SSH. Before
// that, no client can log in. The host prints the time, because it has this machine's clock.
func commands(t *testing.T, s *stack, gate string) observer {
	target, key := s.access(t, gate)
	return func(ctx context.Context) time.Time {
		client, err := remote.Dial(ctx, target, key) // retries until the login succeeds
		if err != nil {
			return never
		}
		defer func() { _ = client.Close() }()
		result, err := client.Run(ctx, "sudo -n date +%s%N", nil)
		if err != nil {
			return never
		}
		return nanosecond(string(result.Stdout))
	}
}

func (c cluster) answers(path string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		return c.typed.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).Error() == nil
	}
}

// nodeReady returns a check whether a Node is Ready and has no taints.
func (c cluster) nodeReady(name string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		node, err := c.typed.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil || len(node.Spec.Taints) > 0 {
			return false
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady {
				return condition.Status == corev1.ConditionTrue
			}
		}
		return false
	}
}

func (c cluster) available(namespace, name string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		found, err := c.typed.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && found.Status.AvailableReplicas > 0 &&
			found.Status.ObservedGeneration == found.Generation
	}
}

// hasEndpoint returns a check whether a Service has a ready address. The EndpointSlice controller
// adds the address some time after the Pod is Ready.
func (c cluster) hasEndpoint(namespace, service string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		slices, err := c.typed.DiscoveryV1().EndpointSlices(namespace).List(ctx,
			metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + service})
		if err != nil {
			return false
		}
		for _, slice := range slices.Items {
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready != nil && *endpoint.Conditions.Ready {
					return true
				}
			}
		}
		return false
	}
}

// connects returns an observer that waits until every server can connect to a Service through its
// own kube-proxy, as its API server does. kube-proxy applies a new endpoint later than the API
// shows it.
func (c cluster) connects(t *testing.T, hosts *hostSet, namespace, service string) observer {
	address, port := c.serviceAt(t, namespace, service)
	var observers []observer
	for _, n := range hosts.serverNodes() {
		observers = append(observers, connected(hosts, n.name, address, port))
	}
	return together(observers...)
}

// unconnected waits until no server reaches a Service any more. A terminating Pod still answers,
// and an observer would mistake it for the new Pod.
func (c cluster) unconnected(t *testing.T, hosts *hostSet, namespace, service string) {
	address, port := c.serviceAt(t, namespace, service)
	for _, n := range hosts.serverNodes() {
		_, err := hosts.on(n.name, fmt.Sprintf(
			"while timeout 0.25 bash -c ': </dev/tcp/%s/%d' 2>/dev/null; do sleep 0.05; done",
			address, port))
		require.NoError(t, err)
	}
}

// serviceAt returns a Service's ClusterIP and first port.
func (c cluster) serviceAt(t *testing.T, namespace, service string) (string, int32) {
	found, err := c.typed.CoreV1().Services(namespace).Get(t.Context(), service,
		metav1.GetOptions{})
	require.NoError(t, err)
	return found.Spec.ClusterIP, found.Spec.Ports[0].Port
}

// admitsPool reports whether MetalLB's webhook accepts a dry run, which proves that it serves.
func (c cluster) admitsPool(ctx context.Context) bool {
	_, err := c.dynamic.Resource(pools).Namespace("metallb-system").Create(ctx,
		pool("observer", "192.0.2.1-192.0.2.1"),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err == nil
}

// poolAccepted reports whether the controller has counted the addresses of the pool, and no
// component reports the configuration as invalid.
func (c cluster) poolAccepted(ctx context.Context) bool {
	found, err := c.dynamic.Resource(pools).Namespace("metallb-system").Get(ctx, "default",
		metav1.GetOptions{})
	if err != nil {
		return false
	}
	if _, counted, _ := unstructured.NestedInt64(found.Object, "status",
		"availableIPv4"); !counted {
		return false
	}
	list, err := c.dynamic.Resource(states).Namespace("metallb-system").List(ctx,
		metav1.ListOptions{})
	if err != nil {
		return false
	}
	for _, state := range list.Items {
		if result, _, _ := unstructured.NestedString(state.Object, "status",
			"result"); result != "Valid" {
			return false
		}
	}
	return len(list.Items) > 0
}
