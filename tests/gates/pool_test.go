package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/pool"
	"strata/tests/gates/fakeapi"
)

const poolText = `
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata:
  name: default
  namespace: metallb-system
  creationTimestamp: "{{.created}}"
  managedFields: [{manager: pulumi, operation: Apply, time: "{{.changed}}"}]
spec: {addresses: ["{{.addresses}}"]}
{{if .counted}}status: {availableIPv4: {{.available}}, assignedIPv4: 0, availableIPv6: 0, assignedIPv6: 0}{{end}}
`

const stateText = `
apiVersion: metallb.io/v1beta1
kind: ConfigurationState
metadata:
  name: {{.name}}
  namespace: metallb-system
  managedFields: [{manager: {{.type}}, operation: Apply, subresource: status, time: "{{.written}}"}]
status:
  result: {{.result}}
  errorSummary: "{{.summary}}"
  conditions: [{type: {{.type}}, status: "{{.status}}", reason: "{{.reason}}", message: "{{.summary}}", lastTransitionTime: "{{.written}}"}]
`

// at returns the time at a number of seconds after the start of a test's events.
func at(second int) string {
	return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC).Format(time.RFC3339)
}

func poolObject(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{"created": at(0), "changed": at(10),
		"addresses": "10.10.0.200-10.10.0.210",
		"counted":   true, "available": 11}
	for key, value := range values {
		all[key] = value
	}
	return object(t, poolText, all)
}

func state(t testing.TB, name string, values map[string]any) string {
	t.Helper()
	all := map[string]any{"name": name, "type": "configReconcilerValid", "status": "True",
		"reason": "Reconciled", "result": "Valid", "summary": "", "written": at(20)}
	if name == "controller" {
		all["type"] = "poolReconcilerValid"
	}
	for key, value := range values {
		all[key] = value
	}
	return object(t, stateText, all)
}

func advertisement(second int) string {
	return "apiVersion: metallb.io/v1beta1\nkind: L2Advertisement\nmetadata: {name: default, " +
		"namespace: metallb-system, creationTimestamp: \"" +
		at(second) + "\"}\n"
}

func poolSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: pool.Spec{
		Namespace: metallb, Name: "default", Addresses: []string{"10.10.0.200-10.10.0.210"},
		Speakers: []string{"server-1", "agent-1"},
	}}
}

func poolCluster(t testing.TB) *fakeapi.Cluster {
	t.Helper()
	c := fakeapi.New(t, 1)
	c.Serve(pools, "IPAddressPool", fakeapi.Resource{Plural: "ipaddresspools", Namespaced: true})
	c.Serve(pools, "L2Advertisement", fakeapi.Resource{Plural: "l2advertisements",
		Namespaced: true})
	c.Serve(pools, "ConfigurationState",
		fakeapi.Resource{Plural: "configurationstates", Namespaced: true})
	healPool(t, c)
	return c
}

func healPool(t testing.TB, c *fakeapi.Cluster) {
	t.Helper()
	c.Put(poolObject(t, nil))
	c.Put(advertisement(10))
	for _, name := range []string{"controller", "speaker-server-1", "speaker-agent-1"} {
		c.Put(state(t, name, nil))
	}
}

func TestPoolGateOpensWhenPoolIsConfigured(t *testing.T) {
	t.Parallel()
	c := poolCluster(t)
	assert.Len(t, start(t, c, poolSpec(c)).opens().Checks, 4)
}

func TestPoolGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"no pool", func(c *fakeapi.Cluster) {
			c.Delete(pools, "ipaddresspools", metallb,
				"default")
		}, "default: does not exist"},
		{"not counted", func(c *fakeapi.Cluster) {
			c.Put(poolObject(t, map[string]any{"counted": false}))
		}, "has not counted its addresses"},
		{"another range", func(c *fakeapi.Cluster) {
			c.Put(poolObject(t, map[string]any{"addresses": "10.1.0.0/24"}))
		}, "has 10.1.0.0/24, expected 10.10.0.200-10.10.0.210"},
		{"the count of before", func(c *fakeapi.Cluster) {
			c.Put(poolObject(t, map[string]any{"available": 5}))
		}, "the controller counts 5 addresses, the pool has 11"},
		{"no advertisement", func(c *fakeapi.Cluster) {
			c.Delete(pools, "l2advertisements", metallb,
				"default")
		}, "no L2Advertisement announces it"},
		{"no node to announce it", func(c *fakeapi.Cluster) {
			c.Put(advertisement(10) + "spec: {nodeSelectors: [{matchLabels: {zone: c}}]}\n")
		}, "suits no node with a speaker"},
		{"a speaker has not reported", func(c *fakeapi.Cluster) {
			c.Delete(pools,
				"configurationstates", metallb, "speaker-agent-1")
		}, "speaker-agent-1: has not reported"},
		{"the controller has not reported",
			func(c *fakeapi.Cluster) {
				c.Delete(pools, "configurationstates", metallb,
					"controller")
			}, "controller: has not reported"},
		{"a result that is not known", func(c *fakeapi.Cluster) {
			c.Put(state(t, "controller", map[string]any{"result": "Unknown"}))
		}, "result is Unknown"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := poolCluster(t)
			fault.spoil(c)
			gate := start(t, c, poolSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			healPool(t, c)
			gate.opens()
		})
	}
}

func TestPoolGateIgnoresStatusOfEarlierPool(t *testing.T) {
	t.Parallel()
	c := poolCluster(t)
	c.Put(state(t, "controller", nil))
	c.Put(state(t, "speaker-server-1", map[string]any{"written": at(20)}))
	c.Put(state(t, "speaker-agent-1", map[string]any{"written": at(20)}))
	c.Put(poolObject(t, map[string]any{"changed": at(30)}))
	gate := start(t, c, poolSpec(c))
	gate.stays(time.Second)
	for _, name := range []string{"controller", "speaker-server-1", "speaker-agent-1"} {
		c.Put(state(t, name, map[string]any{"written": at(31)}))
	}
	gate.opens()
}

func TestPoolGateWaitsUntilSpeakersHaveAdvertisement(t *testing.T) {
	t.Parallel()
	c := poolCluster(t)
	c.Put(advertisement(40))
	gate := start(t, c, poolSpec(c))
	gate.stays(time.Second)
	c.Put(state(t, "speaker-server-1", map[string]any{"written": at(40)}))
	gate.stays(300 * time.Millisecond)
	c.Put(state(t, "speaker-agent-1", map[string]any{"written": at(41)}))
	gate.opens()
}

func TestPoolGateIsStuckOnRejectedPool(t *testing.T) {
	t.Parallel()
	c := poolCluster(t)
	c.Put(poolObject(t, map[string]any{"counted": false}))
	c.Put(state(t, "controller", map[string]any{"status": "False", "reason": "ConfigurationError",
		"result": "Invalid", "summary": "CIDR overlaps with already defined CIDR"}))
	result := start(t, c, poolSpec(c)).sticks(lag)
	assert.Contains(t, result.Report(), "rejects the configuration: CIDR overlaps")
}
