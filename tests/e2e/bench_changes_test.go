//go:build bench

package e2e

import (
	"context"
	"io"
	"net"
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

// pools and states are MetalLB's resources.
var (
	pools  = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "ipaddresspools"}
	states = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "configurationstates"}
)

// cluster is the observers' own view, apart from the gates'.
type cluster struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
}

// view looks through one server.
func (s *stack) view(address string) cluster {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(s.t, err)
	config.Host, config.QPS = "https://"+address+":6443", -1
	config.Timeout = 2 * time.Second
	made := cluster{typed: kubernetes.NewForConfigOrDie(rest.CopyConfig(config)), dynamic: dynamic.NewForConfigOrDie(config)}
	return made
}

// changes are one change for each kind of gate.
func changes(s *stack, hosts *lent) []change {
	first, second := s.view(hosts.net.address(11)), s.view(hosts.net.address(12))
	run := func(name, script string) func(*testing.T) {
		return func(t *testing.T) { _, err := hosts.on(name, script); require.NoError(t, err) }
	}
	restart := func(gate, name, unit string, spoil func(*testing.T), observers ...observer) change {
		return change{gate, spoil, run(name, "systemctl start --no-block "+unit), append(observers, unitActive(hosts, name, unit))}
	}
	return []change{
		{"hosts-agent-1-gate", run("agent-1", "iptables -w -I INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset"),
			run("agent-1", "iptables -w -D INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset"),
			[]observer{polled(banner(hosts.net.address(21) + ":22"))}},
		restart("k3s-server-2-gate", "server-2", "k3s", run("server-2", "systemctl stop k3s"), polled(second.answers("/ping"))),
		{"k3s-api", run("server-2", "systemctl stop k3s"), run("server-2", "systemctl start --no-block k3s"),
			[]observer{polled(second.answers("/readyz"))}},
		restart("k3s-nodes", "agent-1", "k3s-agent", func(t *testing.T) {
			run("agent-1", "systemctl stop k3s-agent")(t)
			first.notReady(t, "agent-1")
		}, polled(first.nodeReady("agent-1"))),
		{"k3s-system", first.scale("kube-system", "coredns", 0), first.scale("kube-system", "coredns", 1),
			[]observer{polled(first.available("kube-system", "coredns"))}},
		{"metallb-webhook", first.scale("metallb-system", "metallb-controller", 0), first.scale("metallb-system", "metallb-controller", 1),
			[]observer{polled(first.available("metallb-system", "metallb-controller")), polled(first.admitsPool), polled(second.admitsPool), polled(s.view(hosts.net.address(13)).admitsPool)}},
		{"metallb-pool-gate", first.withoutPool, first.withPool(hosts.net.pool()), []observer{polled(first.poolAccepted)}},
	}
}

// banner is sshd's first line.
func banner(address string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		dialer := net.Dialer{Timeout: time.Second}
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return false
		}
		defer connection.Close()
		start := make([]byte, 4)
		_, err = io.ReadFull(connection, start)
		return err == nil && string(start) == "SSH-"
	}
}

func (c cluster) answers(path string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		return c.typed.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).Error() == nil
	}
}

// nodeReady: Ready, and no controller keeps Pods off the Node any more.
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

// notReady says of a node whose kubelet has stopped what a controller would say a minute later.
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

// scale sets a Deployment's replicas; to none, and waits until its Pods are gone.
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

func (c cluster) available(namespace, name string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		found, err := c.typed.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && found.Status.AvailableReplicas > 0 && found.Status.ObservedGeneration == found.Generation
	}
}

func pool(name, addresses string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool",
		"metadata": map[string]any{"name": name, "namespace": "metallb-system"},
		"spec":     map[string]any{"addresses": []any{addresses}},
	}}
}

// admitsPool is the only end-to-end proof that MetalLB's webhook serves: a dry run that must pass it.
func (c cluster) admitsPool(ctx context.Context) bool {
	_, err := c.dynamic.Resource(pools).Namespace("metallb-system").Create(ctx, pool("observer", "192.0.2.1-192.0.2.1"),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err == nil
}

func (c cluster) withoutPool(t *testing.T) {
	err := c.dynamic.Resource(pools).Namespace("metallb-system").Delete(t.Context(), "default", metav1.DeleteOptions{})
	require.True(t, err == nil || apierrors.IsNotFound(err), "%v", err)
}

func (c cluster) withPool(addresses string) func(*testing.T) {
	return func(t *testing.T) {
		_, err := c.dynamic.Resource(pools).Namespace("metallb-system").Create(t.Context(), pool("default", addresses), metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// poolAccepted: the controller has counted the pool's addresses, and no component calls the configuration invalid.
func (c cluster) poolAccepted(ctx context.Context) bool {
	found, err := c.dynamic.Resource(pools).Namespace("metallb-system").Get(ctx, "default", metav1.GetOptions{})
	if err != nil {
		return false
	}
	if _, counted, _ := unstructured.NestedInt64(found.Object, "status", "availableIPv4"); !counted {
		return false
	}
	list, err := c.dynamic.Resource(states).Namespace("metallb-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return false
	}
	for _, state := range list.Items {
		if result, _, _ := unstructured.NestedString(state.Object, "status", "result"); result != "Valid" {
			return false
		}
	}
	return len(list.Items) > 0
}
