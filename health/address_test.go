package health

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestAddressVerdicts(t *testing.T) { runFixtures(t, "address", judgeAddress) }

func TestFactsOfAService(t *testing.T) {
	service := decode[corev1.Service](t, `
spec: {type: LoadBalancer, loadBalancerClass: c}
status: {loadBalancer: {ingress: [{ip: 10.10.0.200}, {ip: "fd00::1"}]}}
`)
	assert.Equal(t, serviceSeen{Type: "LoadBalancer", Class: "c", Address: "10.10.0.200"}, serviceFactsOf(service))
	assert.Equal(t, serviceSeen{Type: "ClusterIP"}, serviceFactsOf(decode[corev1.Service](t, `spec: {type: ClusterIP}`)))
	assert.Empty(t, serviceFactsOf(decode[corev1.Service](t, `status: {loadBalancer: {ingress: [{hostname: lb.example.org}]}}`)).Address)
}

func TestEveryPortIsDialled(t *testing.T) {
	open, err := strconv.Atoi(listen(t))
	require.NoError(t, err)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := gone.Addr().(*net.TCPAddr).Port
	require.NoError(t, gone.Close())
	assert.Equal(t, []dialFacts{{Port: open, Seen: true}, {Port: closed, Seen: true, Error: "connection refused"}}, dialAll(t.Context(), "127.0.0.1", []int{open, closed}))
}

func TestWhatWasSeenAtAnEarlierAddressIsForgotten(t *testing.T) {
	w := &addressWatch{spec: AddressSpec{Ports: []int{80, 443}}, skipped: "x", news: make(chan struct{}, 1)}
	assert.Nil(t, w.judge(), "before the first look")
	w.seen, w.facts.Service = true, serviceSeen{Type: "LoadBalancer", Address: "10.10.0.200"}
	dialled := func(f *addressFacts) { f.Dials = []dialFacts{{Port: 80, Seen: true}, {Port: 443, Seen: true}} }
	w.take("10.10.0.201", dialled)
	assert.Empty(t, w.news)
	assert.Equal(t, Waiting, w.judge()[2].State)
	w.take("10.10.0.200", dialled)
	assert.Len(t, w.news, 1)
	assert.Equal(t, Ready, w.judge()[2].State)
	assert.Equal(t, `for port in 80 443; do timeout 3 bash -c ": </dev/tcp/10.10.0.200/$port" || exit; done`, w.connectionTo("10.10.0.200").command())
	w.skipped, w.hosts = "", []Host{{Role: "server"}}
	assert.Equal(t, "not asked yet", w.judge()[3].Message)
}

func TestAnAddressGateNamesWhatItIsAsked(t *testing.T) {
	good := AddressSpec{Namespace: "n", Service: "s", Ports: []int{1, 65535}, Want: "10.10.0.200"}
	check := func(change func(*AddressSpec)) error {
		spec := good
		change(&spec)
		return valid(Spec{Kind: KindAddress, Address: &spec}).Validate()
	}
	require.NoError(t, check(func(*AddressSpec) {}))
	require.NoError(t, check(func(s *AddressSpec) { s.Want = "" }))
	require.ErrorContains(t, check(func(s *AddressSpec) { s.Namespace = "" }), "namespace or service")
	require.ErrorContains(t, check(func(s *AddressSpec) { s.Service = "" }), "namespace or service")
	require.ErrorContains(t, check(func(s *AddressSpec) { s.Ports = nil }), "address.ports: empty")
	require.ErrorContains(t, check(func(s *AddressSpec) { s.Ports = []int{80, 0} }), "address.ports[1]")
	require.ErrorContains(t, check(func(s *AddressSpec) { s.Ports = []int{65536} }), "address.ports[0]")
	require.ErrorContains(t, check(func(s *AddressSpec) { s.Want = "web" }), "address.want")
	require.ErrorContains(t, valid(Spec{Kind: KindAddress}).Validate(), "address: missing")
}
