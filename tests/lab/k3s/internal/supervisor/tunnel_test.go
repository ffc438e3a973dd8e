package supervisor

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/server/egressselector"
	"k8s.io/client-go/kubernetes/fake"

	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/tunnel"
)

// Addresses of nodes at which nothing listens.
const localAddress, farAddress = "192.0.2.1", "192.0.2.2"

// echoing starts a server on 127.0.0.1 that sends back what it receives, and returns its port.
func echoing(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn) // the test notices a missing response
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

func newNode(name, address string, kubelet int) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(kubelet)
	return node
}

// dialer returns a function that dials like an API server whose supervisor is s at url. The cluster
// has two nodes, this server and node-2, whose kubelets use the given port.
func dialer(t *testing.T, s *Server, url string, port int) func(string, int) (net.Conn, error) {
	t.Helper()
	s.Tunnel.FollowNodes(t.Context(),
		fake.NewClientset(newNode("node-1", localAddress, port), newNode("node-2", farAddress, port)))
	file := filepath.Join(t.TempDir(), "etc", "egress.yaml")
	require.NoError(t, tunnel.WriteEgress(file, url, s.PKI.Path("server-ca.crt"),
		s.PKI.Path("client-kube-apiserver.crt"), s.PKI.Path("client-kube-apiserver.key")))
	config, err := egressselector.ReadEgressSelectorConfiguration(file)
	require.NoError(t, err)
	selector, err := egressselector.NewEgressSelector(config)
	require.NoError(t, err)
	dial, err := selector.Lookup(egressselector.Cluster.AsNetworkContext())
	require.NoError(t, err)
	return func(address string, port int) (net.Conn, error) {
		return dial(t.Context(), "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	}
}

// connectAgent connects node-2's agent, whose kubelet is at port, until ctx ends.
func connectAgent(ctx context.Context, t *testing.T, s *Server, url string, port int) {
	t.Helper()
	base := nodeCertificate(t, s, "node-2")
	ca := s.PKI.Path("server-ca.crt")
	require.NoError(t, pki.WriteKubeconfig(base, url, ca, base+".crt", base+".key"))
	agent, err := tunnel.NewAgent(base)
	require.NoError(t, err)
	agent.Kubelet = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	agent.Follow(ctx, []string{strings.TrimPrefix(url, "https://")})
}

// echo sends a text and returns the response. The response is incomplete if the connection breaks.
func echo(t *testing.T, conn net.Conn) string {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	_, err := io.WriteString(conn, "hello")
	require.NoError(t, err)
	answer := make([]byte, len("hello"))
	n, err := io.ReadFull(conn, answer)
	t.Logf("read %d bytes: %v", n, err)
	return string(answer[:n])
}

func TestKubeletWithClosedPortIsReachedThroughItsAgent(t *testing.T) {
	s, url := newServer(t)
	port := echoing(t)
	dial := dialer(t, s, url, port)
	_, err := dial(farAddress, port)
	assert.ErrorContains(t, err, "code 502", "before the agent has connected")

	ctx, disconnect := context.WithCancel(t.Context())
	connectAgent(ctx, t, s, url, port)
	var conn net.Conn
	require.Eventually(t, func() bool {
		conn, err = dial(farAddress, port)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, "hello", echo(t, conn))

	disconnect()
	require.Eventually(t, func() bool {
		_, err := dial(farAddress, port)
		return err != nil
	}, 10*time.Second, 10*time.Millisecond)
}

func TestServersOwnKubeletIsReachedWithoutATunnel(t *testing.T) {
	s, url := newServer(t)
	port := echoing(t)
	conn, err := dialer(t, s, url, port)(localAddress, port)
	require.NoError(t, err)
	assert.Equal(t, "hello", echo(t, conn))
}

func TestAddressesOtherThanKubeletsAreDialedDirectly(t *testing.T) {
	s, url := newServer(t)
	kubelet, pod := echoing(t), echoing(t)
	dial := dialer(t, s, url, kubelet)
	conn, err := dial("127.0.0.1", pod)
	require.NoError(t, err)
	assert.Equal(t, "hello", echo(t, conn))

	_, err = dial("127.0.0.1", 1)
	assert.ErrorContains(t, err, "while dialing 127.0.0.1:1, code 502: 502 Bad Gateway", "K3s's text")
}

func TestAgentRejectsPortsOtherThanItsKubelets(t *testing.T) {
	s, url := newServer(t)
	kubelet, other := echoing(t), echoing(t)
	dial := dialer(t, s, url, other)
	connectAgent(t.Context(), t, s, url, kubelet)
	var conn net.Conn
	require.Eventually(t, func() bool {
		var err error
		conn, err = dial(farAddress, other)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	assert.Empty(t, echo(t, conn))
}
