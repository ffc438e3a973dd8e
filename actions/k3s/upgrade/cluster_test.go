package upgrade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/actions/k3s/upgrade"
	"strata/health"
	"strata/internal/ssh/remote"
)

// was and next are the versions before and after an upgrade.
const was, next = "v1.34.2+k3s1", "v1.34.3+k3s1"

// cluster fakes nodes and hosts that do what their commands say, unless a test breaks them.
type cluster struct {
	t      *testing.T
	client *fake.Clientset
	plan   upgrade.Plan
	log    bytes.Buffer

	mutex sync.Mutex
	hosts map[string]upgrade.Host
	// restarted lists the hosts whose K3s was restarted, and gone the Pods that were evicted, each
	// in order.
	restarted, gone []string
	// away is the number of nodes that have restarted and do not work again yet; mostAway is its
	// maximum. Nodes stay away until away reaches together.
	away, mostAway, together int
	// broken has hosts whose K3s does not work, with the error. protected has Pods with a
	// disruption budget, and silent has API servers that do not answer.
	broken            map[string]error
	protected, silent map[string]bool
	// unreachable is a host without SSH. wrongSum is a host with another binary than was pushed.
	// lost is a host whose answer to a restart is lost.
	unreachable, wrongSum, lost string
	// kubelet changes a node as its new kubelet does, in tests of a broken node.
	kubelet func(node *corev1.Node)
}

// newCluster returns a cluster of the named nodes. Without names: three servers and two agents,
// each agent with a Pod.
func newCluster(t *testing.T, names ...string) *cluster {
	t.Helper()
	if len(names) == 0 {
		names = []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"}
	}
	minute := metav1.Duration{Duration: 2 * time.Second}
	c := &cluster{
		t: t, client: fake.NewClientset(), hosts: map[string]upgrade.Host{},
		broken:    map[string]error{},
		protected: map[string]bool{}, silent: map[string]bool{},
		plan: upgrade.Plan{Version: next, SHA256: "00", Concurrency: 1, Drain: minute,
			Return: minute},
	}
	for _, name := range names {
		role := name[:len(name)-2]
		c.plan.Nodes = append(c.plan.Nodes,
			health.Host{Target: remote.Target{Name: name}, Role: role})
		c.hosts[name] = upgrade.HostPending
		if role == "server" {
			c.plan.Servers = append(c.plan.Servers, "https://"+name+":6443")
		} else {
			c.addPod("web-on-"+name, name)
		}
		c.put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: status(was, corev1.ConditionTrue)})
	}
	c.client.PrependReactor("create", "pods", c.evict)
	c.client.PrependReactor("list", "pods", c.podsOf)
	return c
}

func status(version string, ready corev1.ConditionStatus) corev1.NodeStatus {
	return corev1.NodeStatus{
		NodeInfo: corev1.NodeSystemInfo{KubeletVersion: version},
		Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: ready, LastHeartbeatTime: metav1.Now(),
				Reason: "KubeletReady"}},
	}
}

func (c *cluster) put(node *corev1.Node) {
	nodes := corev1.SchemeGroupVersion.WithResource("nodes")
	if err := c.client.Tracker().Update(nodes, node, ""); err != nil {
		require.NoError(c.t, c.client.Tracker().Add(node))
	}
}

func (c *cluster) addPod(name, node string) {
	controls := true
	require.NoError(c.t, c.client.Tracker().Add(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Controller: &controls}}},
		Spec: corev1.PodSpec{NodeName: node},
	}))
}

// podsOf lists the Pods of a node, because the fake API ignores field selectors.
func (c *cluster) podsOf(action clienttesting.Action) (bool, runtime.Object, error) {
	pods := corev1.SchemeGroupVersion
	all, err := c.client.Tracker().List(pods.WithResource("pods"), pods.WithKind("Pod"), "")
	if err != nil {
		return true, nil, err
	}
	wanted := action.(clienttesting.ListAction).GetListRestrictions().Fields
	list := all.(*corev1.PodList)
	list.Items = slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool {
		return !wanted.Matches(fields.Set{"spec.nodeName": pod.Spec.NodeName})
	})
	return true, list, nil
}

// evict imitates the API server's part in an eviction.
func (c *cluster) evict(action clienttesting.Action) (bool, runtime.Object, error) {
	create := action.(clienttesting.CreateAction)
	if create.GetSubresource() != "eviction" {
		return false, nil, nil
	}
	name := create.GetObject().(*policyv1.Eviction).Name
	if c.protected[name] {
		refused := apierrors.NewTooManyRequests(
			"Cannot evict pod as it would violate the pod's disruption budget.", 0)
		refused.ErrStatus.Details.Causes = []metav1.StatusCause{{
			Type:    policyv1.DisruptionBudgetCause,
			Message: "The disruption budget web needs 2 healthy pods and has 2 currently",
		}}
		return true, nil, refused
	}
	c.gone = append(c.gone, name)
	return true, nil, c.client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"),
		"default", name)
}

func (c *cluster) node(name string) *corev1.Node {
	node, err := c.client.CoreV1().Nodes().Get(context.Background(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	return node
}

func (c *cluster) cordon(name string) {
	node := c.node(name)
	node.Spec.Unschedulable = true
	c.put(node)
}

func (c *cluster) notReady(name string) {
	node := c.node(name)
	node.Status = status(was, corev1.ConditionUnknown)
	c.put(node)
}

// starts makes a node come up with the wanted K3s.
func (c *cluster) starts(name string) {
	c.hosts[name] = upgrade.HostCurrent
	node := c.node(name)
	node.Status = status(next, corev1.ConditionTrue)
	if c.kubelet != nil {
		c.kubelet(node)
	}
	c.put(node)
}

func (c *cluster) run() error {
	rollout := upgrade.Rollout{Plan: c.plan, Client: c.client, Hosts: c, Log: &c.log}
	return rollout.Run(c.t.Context())
}

func (c *cluster) Observe(_ context.Context, host health.Host) (upgrade.Host, error) {
	if host.Name == c.unreachable {
		return "", errors.New("connection refused")
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.hosts[host.Name], nil
}

func (c *cluster) Serves(_ context.Context, url string) error {
	if c.silent[url] {
		return errors.New("connection refused")
	}
	return nil
}

func (c *cluster) Restart(_ context.Context, host health.Host) (after time.Time, err error) {
	if host.Name == c.wrongSum {
		return time.Time{}, &remote.ExitError{Target: host.Target, Code: 1,
			Stderr: "/var/lib/strata/k3s has not the sha256 00"}
	}
	defer c.lose(host.Name, &err)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.restarted = append(c.restarted, host.Name)
	c.hosts[host.Name] = upgrade.HostCurrent
	c.away++
	c.mostAway = max(c.mostAway, c.away)
	return time.Now().Truncate(time.Second), nil
}

// lose replaces a host's answer by an error if the test loses this host's answer.
func (c *cluster) lose(name string, err *error) {
	if name == c.lost {
		*err = errors.New("connection to " + name + " lost")
	}
}

func (c *cluster) Works(ctx context.Context, host health.Host, _ string) error {
	if host.Role == "agent" {
		err := wait.PollUntilContextTimeout(ctx, time.Millisecond, 10*time.Second, true,
			func(context.Context) (bool, error) {
				c.mutex.Lock()
				defer c.mutex.Unlock()
				return c.mostAway >= c.together, nil
			})
		if ctx.Err() == nil && err != nil {
			return fmt.Errorf("%d agents were away at once, expected %d", c.mostAway, c.together)
		}
	}
	if err := c.broken[host.Name]; err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.away = max(0, c.away-1)
	c.starts(host.Name)
	return nil
}
