package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/rancher/remotedialer"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
)

// loopback is the host that an agent dials to reach its own kubelet.
const loopback = "127.0.0.1"

// Server dials nodes, Pods and Services for the API server (k3s-io/k3s
// pkg/daemons/control/tunnel.go, in the default mode agent).
type Server struct {
	local  string
	agents *remotedialer.Server
	nodes  atomic.Pointer[listers.NodeLister]
}

// nodeKey is the context key for the name of a connecting agent's node.
type nodeKey struct{}

// NewServer returns a Server on the node called local. This node's kubelet needs no tunnel.
func NewServer(local string) *Server {
	authorize := func(r *http.Request) (string, bool, error) {
		node, ok := r.Context().Value(nodeKey{}).(string)
		return node, ok, nil
	}
	return &Server{local: local, agents: remotedialer.New(authorize, remotedialer.DefaultErrorWriter)}
}

// FollowNodes watches the nodes' addresses until ctx ends. It returns once it has read the current
// addresses. Until then, Server dials every address directly.
func (s *Server) FollowNodes(ctx context.Context, core kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(core, 0)
	nodes := factory.Core().V1().Nodes().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	s.nodes.Store(&nodes)
}

// Accept serves the connection of a node's agent until the connection ends.
func (s *Server) Accept(w http.ResponseWriter, r *http.Request, node string) {
	s.agents.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nodeKey{}, node)))
}

// Connect handles a CONNECT request of the API server. Like K3s, it responds with 502 if it cannot
// dial, and logs the reason.
func (s *Server) Connect(w http.ResponseWriter, r *http.Request) {
	backend, err := s.dial(r.Context(), r.Host)
	if err != nil {
		logrus.Errorf("Sending HTTP 502 response to %s: %v", r.RemoteAddr, err)
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer backend.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		logrus.Debugf("tunnel: %v", err)
		return
	}
	Forward(struct {
		io.Reader
		io.Writer
	}{buffered, client}, backend)
}

// dial connects to an address. It reaches another node's kubelet only through the node's agent. If
// the agent is not connected, dial fails: a direct connection would hide the missing agent.
func (s *Server) dial(ctx context.Context, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	node := s.nodeOfKubelet(host, port)
	switch {
	case node == "":
	case node == s.local:
		address = net.JoinHostPort(loopback, port)
	default:
		return s.agents.Dialer(node)(ctx, "tcp", net.JoinHostPort(loopback, port))
	}
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

// nodeOfKubelet returns the node whose kubelet listens at an address; empty if there is none.
func (s *Server) nodeOfKubelet(host, port string) string {
	lister := s.nodes.Load()
	if lister == nil {
		return ""
	}
	nodes, err := (*lister).List(labels.Everything())
	if err != nil {
		logrus.Errorf("tunnel: list nodes: %v", err)
	}
	for _, n := range nodes {
		kubelet := strconv.Itoa(int(n.Status.DaemonEndpoints.KubeletEndpoint.Port))
		has := func(a corev1.NodeAddress) bool { return a.Address == host }
		if kubelet == port && slices.ContainsFunc(n.Status.Addresses, has) {
			return n.Name
		}
	}
	return ""
}

// Forward copies data in both directions until one side ends. The caller closes both connections.
func Forward(client, server io.ReadWriter) {
	done := make(chan struct{}, 2)
	forward := func(to io.Writer, from io.Reader) {
		if _, err := io.Copy(to, from); err != nil && !errors.Is(err, net.ErrClosed) {
			logrus.Debugf("forwarded connection: %v", err)
		}
		done <- struct{}{}
	}
	go forward(server, client)
	go forward(client, server)
	<-done
}
