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

// Server handles the requests at the supervisor's port.
type Server struct {
	PKI *pki.Server
	// Config is sent to nodes that join.
	Config Config
	// Passwords has the password of each user: "server" for servers and "node" for agents.
	Passwords map[string]string
	// LocalNode is the name of this server's own node. While the API server is not up, the node's
	// password is checked against PasswordFile.
	LocalNode string
	// Joinable reports whether servers can join, which needs embedded etcd.
	Joinable bool
	// Members returns the etcd members as JSON for a joining server.
	Members func() ([]byte, error)
	// Rotate replaces the servers' token, and encrypts the cluster's keys with it.
	Rotate func(ctx context.Context, password string) error
	// Tunnel connects the API server to nodes, Pods and Services.
	Tunnel *tunnel.Server

	api  atomic.Pointer[http.Handler]
	core atomic.Pointer[kubernetes.Interface]
}

// SetAPI sets the API server's handler once it exists.
func (s *Server) SetAPI(h http.Handler) { s.api.Store(&h) }

// SetCore sets the Kubernetes client once the API server is ready.
func (s *Server) SetCore(c kubernetes.Interface) { s.core.Store(&c) }

// Listen opens the port and serves in the background until the process ends.
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
		ReadHeaderTimeout: 32 * time.Second, // the API server's value
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

// ServeHTTP calls the handler for the request's exact path. It does not use http.ServeMux, which
// would clean or redirect Kubernetes paths.
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
