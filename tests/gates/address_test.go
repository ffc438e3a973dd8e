package gates_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/address"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/gates/fakeapi"
)

const serviceText = `
apiVersion: v1
kind: Service
metadata: {name: traefik, namespace: traefik, uid: uid-traefik}
spec: {type: {{.type}}}
status: {loadBalancer: { {{- if .address}}ingress: [{ip: {{.address}}}]{{end -}} }}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: traefik-x, namespace: traefik, labels: {kubernetes.io/service-name: traefik}}
addressType: IPv4
endpoints: [{addresses: [10.42.1.9], conditions: {ready: {{.ready}}}}]
`

const eventText = `
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: traefik}
type: Warning
reason: AllocationFailed
message: 'Failed to allocate IP for "traefik/traefik": {{.why}}'
involvedObject: {kind: Service, uid: {{.uid}}}
`

func service(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{"type": "LoadBalancer", "address": "127.0.0.1", "ready": true}
	for key, value := range values {
		all[key] = value
	}
	return object(t, serviceText, all)
}

// listening opens a loopback port, and returns the listener and the port.
func listening(t testing.TB) (net.Listener, int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener, listener.Addr().(*net.TCPAddr).Port
}

func addressSpec(c *fakeapi.Cluster, ports ...int) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: address.Spec{
		Namespace: "traefik", Service: "traefik", Ports: ports, Want: "127.0.0.1",
	}}
}

func TestAddressGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name   string
		values map[string]any
		event  string
		says   string
	}{
		{"pending", map[string]any{"address": ""}, "", "no address yet"},
		{"pending, because the pool comes later", map[string]any{"address": ""}, "no available IPs",
			"every address of the pools is taken, or there is no pool"},
		{"pending, because another Service has it", map[string]any{"address": ""},
			"port http/80 is already in use on \"10.10.0.200\"", "another Service has the address"},
		{"another address", map[string]any{"address": "127.0.0.2"}, "",
			"has 127.0.0.2, expected 127.0.0.1"},
		{"no ready endpoint", map[string]any{"ready": false}, "",
			"no ready address behind the Service, 1 not ready"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			_, port := listening(t)
			c.PutAll(service(t, fault.values))
			if fault.event != "" {
				c.Put(object(t, eventText,
					map[string]any{"why": fault.event, "uid": "uid-traefik"}))
			}
			gate := start(t, c, addressSpec(c, port))
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			c.PutAll(service(t, nil))
			gate.opens()
		})
	}
}

func TestAddressGateWaitsForEveryPort(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	_, open := listening(t)
	later, port := listening(t)
	require.NoError(t, later.Close())
	c.PutAll(service(t, nil))
	gate := start(t, c, addressSpec(c, open, port))
	gate.says("connection refused (the address is announced, but no Pod listens on that port)")
	gate.stays(300 * time.Millisecond)
	_, err := net.Listen("tcp", later.Addr().String())
	require.NoError(t, err)
	gate.opens()
}

func TestAddressGateIsStuckWhenNoAddressIsFree(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(service(t, map[string]any{"address": ""}))
	c.Put(object(t, eventText, map[string]any{"why": "no available IPs", "uid": "uid-traefik"}))
	assert.Contains(t, start(t, c, addressSpec(c, 80)).sticks(certain).Report(),
		"AllocationFailed: Failed to allocate IP")
}

func TestAddressGateIgnoresEventsOfFormerServiceWithSameName(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(service(t, map[string]any{"address": ""}))
	c.Put(object(t, eventText, map[string]any{"why": "no available IPs",
		"uid": "uid-of-one-before"}))
	gate := start(t, c, addressSpec(c, 80))
	gate.says("there is no address pool")
	gate.stays(300 * time.Millisecond)
}

func TestAddressGateChecksConnectionsFromHosts(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	_, port := listening(t)
	c.PutAll(service(t, nil))
	server := sshtest.Start(t)
	spec := addressSpec(c, port)
	spec.Hosts = []health.Host{{Target: server.Target(), Role: "server"}}
	result := startWith(t, spec, health.Secrets{Kubeconfig: c.Kubeconfig(),
		SSHKey: server.PrivateKey()}).opens()
	assert.Equal(t, "address from host-1", result.Checks[3].Check)
	assert.Equal(t, health.Ready, result.Checks[3].State)
}

func TestAddressGateWaitsForHostThatCannotConnect(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	_, port := listening(t)
	c.PutAll(service(t, nil))
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		_, _ = call.Stdout.Write([]byte("code=124\noutput=\nend\n"))
		<-call.Gone
		return 0
	}
	spec := addressSpec(c, port)
	spec.Hosts = []health.Host{{Target: server.Target(), Role: "server"}}
	gate := startWith(t, spec, health.Secrets{Kubeconfig: c.Kubeconfig(),
		SSHKey: server.PrivateKey()})
	gate.says("address from host-1: 127.0.0.1 does not answer in time")
	gate.stays(300 * time.Millisecond)
}

// A host reports only changes, and so does not repeat its report after an outage of the API. The
// gate must keep the report.
func TestAddressGateKeepsHostReportsDuringAPIOutage(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	_, port := listening(t)
	c.PutAll(service(t, map[string]any{"ready": false}))
	server := sshtest.Start(t)
	asked := make(chan struct{}, 8)
	server.Handler = func(call sshtest.Call) int {
		_, _ = call.Stdout.Write([]byte("code=0\noutput=\nend\n"))
		asked <- struct{}{}
		<-call.Gone
		return 0
	}
	spec := addressSpec(c, port)
	spec.Hosts = []health.Host{{Target: server.Target(), Role: "server"}}
	gate := startWith(t, spec, health.Secrets{Kubeconfig: c.Kubeconfig(),
		SSHKey: server.PrivateKey()})
	<-asked
	gate.stays(300 * time.Millisecond)
	c.Servers[0].Script(fakeapi.Script{Unavailable: true})
	gate.says("gave no usable answer")
	c.Servers[0].Script(fakeapi.Script{})
	c.PutAll(service(t, nil))
	gate.opens()
}
