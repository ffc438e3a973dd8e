package supervisor

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"

	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/tunnel"
)

// Server answers on the supervisor port.
type Server struct {
	PKI *pki.Server
	// Config is sent to nodes that join.
	Config Config
	// Passwords by user: "server" for servers and "node" for agents.
	Passwords map[string]string
	// LocalNode is this server's own node name; its password is checked against PasswordFile while
	// the API server is not up.
	LocalNode string
	// Joinable is false without embedded etcd: then no server can join.
	Joinable bool
	// Members returns the etcd members as JSON for a joining server.
	Members func() ([]byte, error)
	// Rotate encrypts the cluster's keys with another token of the servers.
	Rotate func(ctx context.Context, password string) error
	// Tunnel dials nodes, Pods and Services for the API server.
	Tunnel *tunnel.Server

	api  atomic.Pointer[http.Handler]
	core atomic.Pointer[kubernetes.Interface]
}

// SetAPI hands over the API server's handler once it exists.
func (s *Server) SetAPI(h http.Handler) { s.api.Store(&h) }

// SetCore hands over a client once the API server is ready.
func (s *Server) SetCore(c kubernetes.Interface) { s.core.Store(&c) }

// Listen opens the port and serves until the process ends.
func (s *Server) Listen(address string, port int) error {
	cert, err := tls.LoadX509KeyPair(s.PKI.Path("serving-kube-apiserver.crt"), s.PKI.Path("serving-kube-apiserver.key"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, fmt.Sprint(port)))
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 32 * time.Second, // the API server's own
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{cert},
			ClientAuth:   tls.RequestClientCert,
			MinVersion:   tls.VersionTLS12,
		},
		ErrorLog: quietTLSLog(),
	}
	go serve(server, listener)
	return nil
}

// ServeHTTP finds the route by its exact path; Kubernetes paths must not be cleaned or redirected.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, found := s.routes()[r.URL.Path]
	if r.Method == http.MethodConnect {
		route, found = s.proxy(), true
	}
	if !found {
		s.serveAPI(w, r)
		return
	}
	if len(route.roles) == 0 {
		route.handler(w, r, identity{})
		return
	}
	who, err := s.authenticate(r)
	if err != nil {
		sendError(w, http.StatusUnauthorized, "not authorized")
		return
	}
	if !who.hasAny(route.roles) {
		sendError(w, http.StatusForbidden, "forbidden")
		return
	}
	route.handler(w, r, who)
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	if h := s.api.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	sendError(w, http.StatusServiceUnavailable, "apiserver not ready")
}
