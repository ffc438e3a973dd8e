package address

import (
	"context"
	"maps"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/ssh/tunnel"
	"strata/internal/ssh/tunnel/tunneltest"
	"strata/tests/gates/fakeapi"
)

func TestAddressVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "address", judgeAddress)
}

func TestServiceFactsHaveFirstIPAndTrafficPolicy(t *testing.T) {
	service := healthtest.Decode[corev1.Service](t, `
spec: {type: LoadBalancer, loadBalancerClass: c}
status: {loadBalancer: {ingress: [{ip: 10.10.0.200}, {ip: "fd00::1"}]}}
`)
	assert.Equal(t, ServiceSeen{Type: "LoadBalancer", Class: "c", Address: "10.10.0.200"},
		serviceFactsOf(service))
	assert.True(t, serviceFactsOf(healthtest.Decode[corev1.Service](t,
		`spec: {type: LoadBalancer, externalTrafficPolicy: Local}`)).Local)
	assert.False(t, serviceFactsOf(healthtest.Decode[corev1.Service](t,
		`spec: {type: LoadBalancer, externalTrafficPolicy: Cluster}`)).Local)
	assert.Equal(t, ServiceSeen{Type: "ClusterIP"},
		serviceFactsOf(healthtest.Decode[corev1.Service](t, `spec: {type: ClusterIP}`)))
	assert.Empty(t, serviceFactsOf(healthtest.Decode[corev1.Service](t,
		`status: {loadBalancer: {ingress: [{hostname: lb.example.org}]}}`)).Address)
}

// The objects of MetalLB show whether one of its speakers announces the address.
func TestAddressWithoutAnnouncingSpeakerIsUnannounced(t *testing.T) {
	const (
		service = `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: apps,
			annotations: {metallb.io/ip-allocated-from-pool: default}},
			status: {loadBalancer: {ingress: [{ip: 10.10.0.200}]}}}`
		advertisement = `{apiVersion: metallb.io/v1beta1, kind: L2Advertisement,
			metadata: {name: default, namespace: metallb-system}}`
		status = `{apiVersion: metallb.io/v1beta1, kind: ServiceL2Status,
			metadata: {name: l2-a, namespace: metallb-system, labels: {
			metallb.io/service-name: NAME, metallb.io/service-namespace: apps}}}`
	)
	own := strings.ReplaceAll(status, "NAME", "web")
	for name, test := range map[string]struct {
		objects     []string
		unserved    bool
		unannounced bool
	}{
		"no status": {[]string{service, advertisement}, false, true},
		"status of another Service": {[]string{service, advertisement,
			strings.ReplaceAll(status, "NAME", "other")}, false, true},
		"status":           {[]string{service, advertisement, own}, false, false},
		"announced by BGP": {[]string{service}, false, false},
		"address of another controller": {[]string{
			strings.ReplaceAll(service, "metallb.io", "other.io"), advertisement}, false, false},
		"MetalLB without statuses": {[]string{service, advertisement}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := fakeapi.New(t, 1)
			if !test.unserved {
				c.Serve("metallb.io/v1beta1", "ServiceL2Status",
					fakeapi.Resource{Plural: "servicel2statuses", Namespaced: true})
				c.Serve("metallb.io/v1beta1", "L2Advertisement",
					fakeapi.Resource{Plural: "l2advertisements", Namespaced: true})
			}
			for _, object := range test.objects {
				if !test.unserved || !strings.Contains(object, "metallb.io/v1beta1") {
					c.Put(object)
				}
			}
			all, err := kube.NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
			require.NoError(t, err)
			w := &addressWatch{spec: Spec{Namespace: "apps", Service: "web"},
				stable: observe.NewStable(time.Now)}
			facts, err := w.read(t.Context(), all.Servers[0])
			require.NoError(t, err)
			assert.Equal(t, test.unannounced, facts.Service.Unannounced)
		})
	}
}

func TestDialReportsOpenAndClosedPorts(t *testing.T) {
	open, err := strconv.Atoi(healthtest.Listen(t))
	require.NoError(t, err)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := gone.Addr().(*net.TCPAddr).Port
	require.NoError(t, gone.Close())
	assert.Equal(t, []dialFacts{{Port: open, Seen: true},
		{Port: closed, Seen: true, Error: "connection refused"}},
		dialAll(t.Context(), Dialer(tunnel.Spec{}), "127.0.0.1", []int{open, closed}))
}

// A port that this machine can reach directly proves nothing about the route through the jump host.
func TestPortsBehindTunnelAreNotDialledLocally(t *testing.T) {
	open, err := strconv.Atoi(healthtest.Listen(t))
	require.NoError(t, err)
	way := tunnel.Spec{Port: tunneltest.Closed(t)}
	dials := dialAll(t.Context(), Dialer(way), "127.0.0.1", []int{open})
	assert.Contains(t, dials[0].Error, "the tunnel at "+way.Address()+" lets nothing through")
	assert.True(t, dials[0].Way.Down())
	assert.Equal(t, farTimeout, limitOf(way))
	assert.Equal(t, dialTimeout, limitOf(tunnel.Spec{}))
}

func TestDialResultsOfFormerAddressAreDiscarded(t *testing.T) {
	w := &addressWatch{spec: Spec{Ports: []int{80, 443}}, skipped: "x",
		news: make(chan struct{}, 1)}
	assert.Nil(t, w.judge(), "before the first observation")
	w.seen, w.facts.Service = true, ServiceSeen{Type: "LoadBalancer", Address: "10.10.0.200"}
	dialled := func(f *addressFacts) {
		f.Dials = []dialFacts{{Port: 80, Seen: true},
			{Port: 443, Seen: true}}
	}
	w.take("10.10.0.201", dialled)
	assert.Empty(t, w.news)
	assert.Equal(t, health.Waiting, w.judge()[2].State)
	w.take("10.10.0.200", dialled)
	assert.Len(t, w.news, 1)
	assert.Equal(t, health.Ready, w.judge()[2].State)
	assert.Equal(t, `for port in 80 443; do timeout 3 bash -c ": </dev/tcp/10.10.0.200/$port" || exit; done`, w.connectionTo("10.10.0.200").Command())
	w.skipped, w.hosts = "", []health.Host{{Role: "server"}}
	assert.Equal(t, "not asked yet", w.judge()[3].Message)
}

func TestAddressSpecErrorsNameFields(t *testing.T) {
	good := Spec{Namespace: "n", Service: "s", Ports: []int{1, 65535}, Want: "10.10.0.200"}
	check := func(change func(*Spec)) error {
		spec := good
		change(&spec)
		return healthtest.Valid(spec).Validate()
	}
	require.NoError(t, check(func(*Spec) {}))
	require.NoError(t, check(func(s *Spec) { s.Want = "" }))
	require.ErrorContains(t, check(func(s *Spec) { s.Namespace = "" }), "namespace or service")
	require.ErrorContains(t, check(func(s *Spec) { s.Service = "" }), "namespace or service")
	require.ErrorContains(t, check(func(s *Spec) { s.Ports = nil }), "address.ports: empty")
	require.ErrorContains(t, check(func(s *Spec) { s.Ports = []int{80, 0} }), "address.ports[1]")
	require.ErrorContains(t, check(func(s *Spec) { s.Ports = []int{65536} }), "address.ports[0]")
	require.ErrorContains(t, check(func(s *Spec) { s.Want = "web" }), "address.want")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"address: missing")
}

// arp is Linux's neighbour table. agent-1 (10.10.0.21) also answers for the address 10.10.0.200;
// agent-2 (10.10.0.22) has not answered.
const arp = `IP address       HW type     Flags       HW address            Mask     Device
10.10.0.200      0x1         0x2         52:54:00:00:00:02     *        br0
10.10.0.11       0x1         0x2         52:54:00:00:00:01     *        br0
10.10.0.21       0x1         0x6         52:54:00:00:00:02     *        br0
10.10.0.22       0x1         0x0         00:00:00:00:00:00     *        br0
`

func TestLinuxARPTableShowsWhichNodeHasAddress(t *testing.T) {
	nodes := map[string]string{"server-1": "10.10.0.11", "agent-1": "10.10.0.21",
		"agent-2": "10.10.0.22"}
	assert.Equal(t, answererFacts{
		MAC: "52:54:00:00:00:02", Silent: []string{"agent-2"},
		Nodes: map[string]string{"52:54:00:00:00:01": "server-1", "52:54:00:00:00:02": "agent-1"},
	}, whoAnswers(arp, "10.10.0.200", nodes))
	assert.Equal(t, answererFacts{}, whoAnswers(arp, "10.20.0.200", nodes), "behind a router")
	assert.Equal(t, answererFacts{}, whoAnswers("", "10.10.0.200", nodes),
		"a machine without the table")
	assert.Equal(t, answererFacts{}, whoAnswers(strings.ReplaceAll(arp, "00:02", "00:01"),
		"10.10.0.200", nodes), "a router answers for all (proxy ARP)")
	assert.Equal(t, health.Ready, judgeAnswerer(health.Verdict{State: health.Ready}, "10.20.0.200",
		answererFacts{}).State)
}

// The workstation's own network may use the same IP addresses as the site behind the jump host, for
// other machines. With a tunnel, the gate therefore neither reads the ARP table nor sends packets
// to the nodes' addresses.
func TestTunnelDisablesLocalARPTable(t *testing.T) {
	var met []string
	w := &addressWatch{network: network{
		func(context.Context) string { return arp },
		func(nodes map[string]string) { met = append(met, slices.Sorted(maps.Keys(nodes))...) },
	}}
	w.facts.nodes = map[string]string{"server-1": "10.10.0.11"}
	assert.Equal(t, "52:54:00:00:00:02", w.whoAnswers(t.Context(), "10.10.0.200").MAC)
	assert.Equal(t, []string{"server-1"}, met, "whose the address is, is not known yet")

	kubeconfig := fakeapi.KubeconfigWith(t, "https://127.0.0.1:6443", nil, "t")
	spec := health.Spec{Servers: []string{"https://127.0.0.1:6443"}, Body: Spec{},
		Hosts: []health.Host{{}}}
	networkOfGate := func() network {
		watch, err := spec.Body.NewWatch(spec, health.Secrets{Kubeconfig: kubeconfig})
		require.NoError(t, err)
		return watch.(*addressWatch).network
	}
	assert.Equal(t, reflect.ValueOf(arpTable).Pointer(),
		reflect.ValueOf(networkOfGate().table).Pointer())
	assert.Equal(t, reflect.ValueOf(meet).Pointer(),
		reflect.ValueOf(networkOfGate().meet).Pointer())
	spec.Hosts[0].DynamicForward = 1080
	assert.Empty(t, networkOfGate().table(t.Context()))
	assert.NotEqual(t, reflect.ValueOf(meet).Pointer(),
		reflect.ValueOf(networkOfGate().meet).Pointer())
}

// arpOfMacOS has the entries of arp as macOS prints them, without leading zeros. Its permanent
// entries are this machine's own address and a multicast group.
const arpOfMacOS = `? (10.10.0.200) at 52:54:0:0:0:2 on en0 ifscope [ethernet]
? (10.10.0.11) at 52:54:0:0:0:1 on en0 [ethernet]
? (10.10.0.21) at 52:54:0:0:0:2 on en0 [ethernet]
? (10.10.0.22) at (incomplete) on en0 ifscope [ethernet]
? (10.10.0.23) at 52:54:0:0:0:23 on en0 ifscope permanent [ethernet]
? (224.0.0.251) at 1:0:5e:0:0:fb on en0 ifscope permanent [ethernet]
? (10.10
`

func TestMacOSARPTableIsReadLikeLinuxARPTable(t *testing.T) {
	assert.Equal(t, map[string]string{
		"10.10.0.200": "52:54:00:00:00:02", "10.10.0.11": "52:54:00:00:00:01",
		"10.10.0.21": "52:54:00:00:00:02",
	}, neighbours(arpOfMacOS))
	nodes := map[string]string{"server-1": "10.10.0.11", "agent-1": "10.10.0.21",
		"agent-2": "10.10.0.22"}
	assert.Equal(t, whoAnswers(arp, "10.10.0.200", nodes),
		whoAnswers(arpOfMacOS, "10.10.0.200", nodes))
}

func TestHostsLookUpAddressOnlyIfUnreachableFromHere(t *testing.T) {
	late, routeless := dialFacts{Error: "timeout; the host is down, or a firewall drops " +
		"the connection"}, dialFacts{Error: "no route to host"}
	assert.True(t, unreachable([]dialFacts{late, routeless}))
	assert.False(t, unreachable([]dialFacts{late, {Error: "connection refused"}}),
		"a host answers there")
	assert.False(t, unreachable([]dialFacts{late, {}}))
	down := dialFacts{Error: "the tunnel at 127.0.0.1:1080 lets nothing through: i/o timeout",
		Way: observe.Way{Cause: "c"}}
	assert.False(t, unreachable([]dialFacts{down}), "it says nothing of the address")
	assert.False(t, unreachable(nil))

	w := &addressWatch{}
	w.facts = addressFacts{Service: ServiceSeen{Address: "10.10.0.200"}, Away: awaySeconds,
		nodes: map[string]string{"server-1": "10.10.0.11"}}
	address, nodes := w.away()
	assert.Equal(t, "10.10.0.200", address)
	assert.Equal(t, []string{"10.10.0.11"}, nodes)
	w.facts.Away--
	address, _ = w.away()
	assert.Empty(t, address)
}

func TestAnnouncementDistinguishesNodeFromForeignMAC(t *testing.T) {
	seen := host.Block{"answers": {"10.10.0.200 52:54:00:00:00:02"},
		"ours": {"52:54:00:00:00:01", "52:54:00:00:00:02"}}
	assert.Equal(t, announcement{Host: "server-1", MAC: "52:54:00:00:00:02", Ours: true},
		announcementOf("server-1", seen))
	seen["ours"] = seen["ours"][:1]
	assert.Equal(t, announcement{Host: "server-1", MAC: "52:54:00:00:00:02"},
		announcementOf("server-1", seen))
	assert.Equal(t, announcement{Host: "server-1"},
		announcementOf("server-1", host.Block{"ours": {"52:54:00:00:00:01"}}),
		"the host announces it itself, or no node does")
	assert.Equal(t, announcement{Host: "server-1"},
		announcementOf("server-1", host.Block{"lacks": {"ping or ip"}}))
}
