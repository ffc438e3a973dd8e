package host

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// The length byte of "kubernetes" (10) is a newline. The query must nevertheless arrive as one
// datagram that a DNS library can parse.
func TestResolveProbeSendsOneDNSDatagram(t *testing.T) {
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	query, err := queryFor("kubernetes.default.svc.cluster.local")
	require.NoError(t, err)
	port := strconv.Itoa(server.LocalAddr().(*net.UDPAddr).Port)
	quick := strings.ReplaceAll(resolveScript, "sleep 5", "sleep 0.1")
	blocks := running(t, quick, map[string]string{"server": "127.0.0.1", "port": port,
		"query": query})
	packet := make([]byte, 512)
	reply := func(change func(*dnsmessage.Message)) Resolved {
		size, from, err := server.ReadFrom(packet)
		require.NoError(t, err)
		var message dnsmessage.Message
		require.NoError(t, message.Unpack(packet[:size]))
		require.Equal(t, "kubernetes.default.svc.cluster.local.",
			message.Questions[0].Name.String())
		require.True(t, message.RecursionDesired, "a resolver of libc asks so")
		message.Response = true
		change(&message)
		packed, err := message.Pack()
		require.NoError(t, err)
		_, err = server.WriteTo(packed, from)
		require.NoError(t, err)
		return resolvedOf("a", <-blocks)
	}
	assert.Equal(t, Resolved{Host: "a", Seen: true, Code: Success,
		Addresses: []string{"10.43.0.1"}}, reply(func(m *dnsmessage.Message) {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name,
				Class: dnsmessage.ClassINET},
			Body: &dnsmessage.AResource{A: [4]byte{10, 43, 0, 1}},
		}}
	}))
	assert.Equal(t, Resolved{Host: "a", Seen: true, Code: "NXDOMAIN"},
		reply(func(m *dnsmessage.Message) { m.RCode = dnsmessage.RCodeNameError }))
	require.NoError(t, server.Close())
	assert.Equal(t, Resolved{Host: "a", Seen: true}, resolvedOf("a", <-blocks), "no reply")
}

func TestTooLongDNSNameIsRefused(t *testing.T) {
	_, err := queryFor("kubernetes." + string(make([]byte, 300)))
	require.Error(t, err)
}
