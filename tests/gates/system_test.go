package gates_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/system"
	"strata/tests/gates/fakeapi"
)

const systemText = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: default}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system, uid: dns, generation: 2}
spec: {replicas: 1, selector: {matchLabels: {k8s-app: kube-dns}}, template: {metadata: {labels: {k8s-app: kube-dns}}, spec: {containers: []}}}
status: {observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: coredns-new
  namespace: kube-system
  labels: {k8s-app: kube-dns, pod-template-hash: new}
  annotations: {deployment.kubernetes.io/revision: "2"}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: coredns, uid: dns, controller: true}]
---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: 10.43.0.10}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-x, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
endpoints: [{addresses: [10.42.0.2], conditions: {ready: true}}]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
status: {conditions: [{type: Available, status: "True", reason: Passed}]}
`

func systemSpec(c *fakeapi.Cluster, disabled ...string) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: system.Spec{Disabled: disabled}}
}

// dnsDown is CoreDNS without an available Pod: its container waits for a given reason.
const dnsDown = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system, uid: dns, generation: 2}
spec: {replicas: 1, selector: {matchLabels: {k8s-app: kube-dns}}, template: {metadata: {labels: {k8s-app: kube-dns}}, spec: {containers: []}}}
status: {observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 0}
---
apiVersion: v1
kind: Pod
metadata: {name: coredns-{{.hash}}-1, namespace: kube-system, uid: pod-1, labels: {k8s-app: kube-dns, pod-template-hash: {{.hash}}}}
spec: {nodeName: server-1, containers: []}
status:
  conditions: [{type: PodScheduled, status: "True"}]
  containerStatuses:
    - name: coredns
      image: coredns:1
      imageID: ""
      ready: false
      restartCount: 3
      state: {waiting: {reason: {{.reason}}, message: "{{.message}}"}}
      lastState: {terminated: {exitCode: 2, reason: Error, message: "Corefile:3 - Error during parsing"}}
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: kube-system}
type: Warning
reason: Failed
message: 'Failed to pull image "coredns:1": not found'
count: 2
involvedObject: {kind: Pod, uid: pod-1}
`

func TestSystemGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"no default ServiceAccount", func(c *fakeapi.Cluster) {
			c.Delete("v1", "serviceaccounts", "default", "default")
		}, "serviceaccount default/default: does not exist"},
		{"no CoreDNS", func(c *fakeapi.Cluster) {
			c.Delete("apps/v1", "deployments", "kube-system", "coredns")
		}, "coredns: does not exist"},
		{"CoreDNS has no endpoint", func(c *fakeapi.Cluster) {
			c.Delete("discovery.k8s.io/v1", "endpointslices", "kube-system", "kube-dns-x")
		}, "has no ready address"},
		{"no DNS Service", func(c *fakeapi.Cluster) {
			c.Delete("discovery.k8s.io/v1", "endpointslices", "kube-system", "kube-dns-x")
			c.Delete("v1", "services", "kube-system", "kube-dns")
		}, "Service kube-system/kube-dns does not exist"},
		{"CoreDNS' Pod crashed once or twice", func(c *fakeapi.Cluster) {
			c.PutAll(object(t, dnsDown,
				map[string]any{"hash": "new", "reason": "CrashLoopBackOff",
					"message": "back-off 10s restarting failed container=coredns"}))
		}, "last exit code 2 (Error): Corefile:3"},
		{"a Pod of the revision before is broken", func(c *fakeapi.Cluster) {
			c.PutAll(object(t, dnsDown, map[string]any{"hash": "old", "reason": "InvalidImageName",
				"message": "bad"}))
		}, "coredns: 1/1 updated, 0/1 available"},
		{"no metrics", func(c *fakeapi.Cluster) {
			c.Delete("apiregistration.k8s.io/v1", "apiservices", "", "v1beta1.metrics.k8s.io")
		}, "v1beta1.metrics.k8s.io: does not exist"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			c.PutAll(systemText)
			fault.spoil(c)
			gate := start(t, c, systemSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			c.PutAll(systemText)
			gate.opens()
		})
	}
}

func TestSystemGateSkipsDisabledComponents(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.Put("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default, namespace: default}\n")
	result := start(t, c, systemSpec(c, "coredns", "metrics-server")).opens()
	assert.Contains(t, result.Report(), "metrics-server is in the disable list")
}

func TestSystemGateIsStuckWhenPodCannotStart(t *testing.T) {
	t.Parallel()
	for _, stuck := range []struct{ reason, message, says string }{
		{"ImagePullBackOff", "Back-off pulling image: not found",
			"does not give out image coredns:1"},
		{"CrashLoopBackOff", "back-off 1m20s restarting failed container=coredns",
			"exits soon after its start"},
		{"InvalidImageName", "couldn't parse image name", "cannot be pulled"},
	} {
		t.Run(stuck.reason, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			c.PutAll(systemText)
			c.PutAll(object(t, dnsDown,
				map[string]any{"hash": "new", "reason": stuck.reason, "message": stuck.message}))
			result := start(t, c, systemSpec(c)).sticks(lag)
			assert.Contains(t, result.Report(), stuck.says)
			assert.Contains(t, result.Report(), "Failed to pull image",
				"the Pod's Events are evidence")
		})
	}
}

// measuring returns metrics-server and Node agent-1, which have been Ready for the given durations,
// and Node agent-2, whose kubelet does not answer.
func measuring(server, node time.Duration) string {
	since := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }
	ready := `status: {conditions: [{type: Ready, status: "%s", lastTransitionTime: "%s"}]}` + "\n"
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: metrics-server-x, namespace: " +
		"kube-system, labels: {k8s-app: metrics-server}}\n" +
		"spec: {containers: []}\n" + fmt.Sprintf(ready, "True", since(server)) +
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: agent-1}\n" +
		fmt.Sprintf(ready, "True", since(node)) +
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: agent-2}\n" +
		fmt.Sprintf(ready, "Unknown", since(time.Hour))
}

// nodeMetrics has the metrics of a Node.
const nodeMetrics = "apiVersion: metrics.k8s.io/v1beta1\nkind: NodeMetrics\nmetadata: {name: agent-1}\n"

func TestSystemGateWaitsForMetricsOfReadyNodes(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(systemText)
	c.PutAll(measuring(time.Hour, time.Hour))
	gate := start(t, c, systemSpec(c))
	gate.says("v1beta1.metrics.k8s.io: is Available, and does not answer for Nodes")
	c.Serve("metrics.k8s.io/v1beta1", "NodeMetrics", fakeapi.Resource{Plural: "nodes"})
	gate.says("v1beta1.metrics.k8s.io: has no metrics of Node agent-1")
	gate.stays(200 * time.Millisecond)
	c.Put(nodeMetrics)
	gate.opens()
}

// metrics-server needs two measurements of a new Node, and cannot measure a Node whose kubelet does
// not answer. A new metrics-server has no measurements either.
func TestSystemGateOpensWithoutMetricsOfNewNodeOrServer(t *testing.T) {
	t.Parallel()
	for name, ready := range map[string]struct{ server, node time.Duration }{
		"a metrics-server": {time.Minute, time.Hour}, "a Node": {time.Hour, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			c.Serve("metrics.k8s.io/v1beta1", "NodeMetrics", fakeapi.Resource{Plural: "nodes"})
			c.PutAll(systemText)
			c.PutAll(measuring(ready.server, ready.node))
			start(t, c, systemSpec(c)).opens()
		})
	}
}
