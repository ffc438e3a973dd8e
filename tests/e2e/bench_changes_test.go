//go:build bench

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	pools = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "ipaddresspools"}
	states = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "configurationstates"}
)

// cluster reads the cluster for observers, independently of the gates.
type cluster struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
}

// view returns a cluster that asks only the API server at an address.
func (s *stack) view(address string) cluster {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(s.t, err)
	config.Host, config.QPS = "https://"+address+":6443", -1
	config.Timeout = 2 * time.Second
	made := cluster{typed: kubernetes.NewForConfigOrDie(rest.CopyConfig(config)),
		dynamic: dynamic.NewForConfigOrDie(config)}
	return made
}

// changes returns one change for each gate whose lag is measured.
func changes(s *stack, hosts *hostSet) []change {
	first, second := s.view(hosts.net.address(11)), s.view(hosts.net.address(12))
	run := func(name, script string) func(*testing.T) {
		return func(t *testing.T) { _, err := hosts.on(name, script); require.NoError(t, err) }
	}
	restart := func(gate, name, unit string, spoil func(*testing.T), serves observer) change {
		return change{gate, spoil, run(name, "systemctl start --no-block "+unit),
			together(serves, unitActive(hosts, name, unit))}
	}
	admits := together(polled(first.admitsPool), polled(second.admitsPool),
		polled(s.view(hosts.net.address(13)).admitsPool))
	return []change{
		{"hosts-agent-1-gate", run("agent-1",
			"iptables -w -I INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset"),
			run("agent-1", "iptables -w -D INPUT -p tcp --dport 22 -j REJECT "+
				"--reject-with tcp-reset"), commands(s.t, s, "hosts-agent-1-gate")},
		restart("k3s-server-2-gate", "server-2", "k3s", run("server-2", "systemctl stop k3s"),
			polled(second.answers("/ping"))),
		{"k3s-api", run("server-2", "systemctl stop k3s"),
			run("server-2", "systemctl start --no-block k3s"), polled(second.answers("/readyz"))},
		restart("k3s-nodes", "agent-1", "k3s-agent", func(t *testing.T) {
			run("agent-1", "systemctl stop k3s-agent")(t)
			first.notReady(t, "agent-1")
		}, polled(first.nodeReady("agent-1"))),
		{"k3s-system", first.scale("kube-system", "coredns", 0),
			first.scale("kube-system", "coredns", 1),
			together(polled(first.available("kube-system", "coredns")),
				polled(first.hasEndpoint("kube-system", "kube-dns")))},
		{"metallb-webhook", func(t *testing.T) {
			first.scale("metallb-system", "metallb-controller", 0)(t)
			first.unconnected(t, hosts, "metallb-system", "metallb-webhook-service")
		}, first.scale("metallb-system", "metallb-controller", 1),
			together(inTurn(polled(first.available("metallb-system", "metallb-controller")),
				admits),
				first.connects(s.t, hosts, "metallb-system", "metallb-webhook-service"))},
		{"metallb-pool-gate", first.withoutPool, first.withPool(hosts.net.pool()),
			polled(first.poolAccepted)},
	}
}

// notReady sets a node's Ready condition to Unknown now, as a controller would a minute after the
// kubelet has stopped.
func (c cluster) notReady(t *testing.T, name string) {
	nodes := c.typed.CoreV1().Nodes()
	node, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == corev1.NodeReady {
			node.Status.Conditions[i].Status = corev1.ConditionUnknown
		}
	}
	_, err = nodes.UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// scale returns a function that sets a Deployment's replicas. For zero, it also waits until the
// Pods are gone.
func (c cluster) scale(namespace, name string, replicas int32) func(*testing.T) {
	return func(t *testing.T) {
		deployments := c.typed.AppsV1().Deployments(namespace)
		scale, err := deployments.GetScale(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		scale.Spec.Replicas = replicas
		_, err = deployments.UpdateScale(t.Context(), name, scale, metav1.UpdateOptions{})
		require.NoError(t, err)
		if replicas > 0 {
			return
		}
		require.Eventually(t, func() bool {
			found, err := deployments.Get(context.Background(), name, metav1.GetOptions{})
			return err == nil && found.Status.Replicas == 0
		}, time.Minute, 100*time.Millisecond)
	}
}

func pool(name, addresses string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool",
		"metadata": map[string]any{"name": name, "namespace": "metallb-system"},
		"spec":     map[string]any{"addresses": []any{addresses}},
	}}
}

func (c cluster) withoutPool(t *testing.T) {
	err := c.dynamic.Resource(pools).Namespace("metallb-system").Delete(t.Context(), "default",
		metav1.DeleteOptions{})
	require.True(t, err == nil || apierrors.IsNotFound(err), "%v", err)
}

func (c cluster) withPool(addresses string) func(*testing.T) {
	return func(t *testing.T) {
		_, err := c.dynamic.Resource(pools).Namespace("metallb-system").Create(t.Context(),
			pool("default", addresses), metav1.CreateOptions{})
		require.NoError(t, err)
	}
}
