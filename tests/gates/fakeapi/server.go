package fakeapi

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Server is one API server.
type Server struct {
	cluster *Cluster
	t       testing.TB
	http    *httptest.Server
	address string

	mu     sync.Mutex
	script Script
	stop   chan struct{}
	down   bool
}

// Script describes how a server behaves. The zero value is a healthy server that admits every
// object.
type Script struct {
	// NotReady has the names of the readyz checks that fail.
	NotReady []string
	// Unauthorized rejects every credential.
	Unauthorized bool
	// Forbidden forbids every request.
	Forbidden bool
	// Hang never answers.
	Hang bool
	// Unavailable answers 503 to everything, as K3s does while its API server starts.
	Unavailable bool
	// Unknown has group versions that this server does not serve.
	Unknown []string
	// Unlisted has group versions that this server serves, but omits from the document /apis.
	Unlisted []string
	// Unaggregated makes /apis a list of group versions, as before Kubernetes 1.27.
	Unaggregated bool
	// Admit returns the refusal of an object in a dry run; nil accepts. It may change the object.
	Admit func(object map[string]any) *Refusal
}

// Refusal is an error that the server returns.
type Refusal struct {
	Code    int
	Reason  string
	Message string
}

func newServer(t testing.TB, c *Cluster) *Server {
	t.Helper()
	s := &Server{cluster: c, t: t, down: true, stop: make(chan struct{})}
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

// URL returns the server's address as a URL.
func (s *Server) URL() string { return "https://" + s.address }

// Address returns the host and port of the server.
func (s *Server) Address() string { return s.address }

// Start starts the server. After a Stop it listens on the same port.
func (s *Server) Start() {
	s.t.Helper()
	if !s.down {
		return
	}
	address := s.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	require.NoError(s.t, err)
	s.address = listener.Addr().String()
	s.mu.Lock()
	s.stop = make(chan struct{})
	s.mu.Unlock()
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	_ = s.http.Listener.Close() // replaced before use
	s.http.Listener, s.http.EnableHTTP2 = listener, true
	s.http.Config.ErrorLog = quiet
	s.http.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.http.StartTLS()
	s.down = false
}

// Stop makes the server refuse connections.
func (s *Server) Stop() {
	if s.down {
		return
	}
	s.mu.Lock()
	close(s.stop)
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
	s.down = true
}

// Script replaces the server's behaviour.
func (s *Server) Script(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

func (s *Server) scripted() (Script, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.script, s.stop
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	script, stop := s.scripted()
	switch {
	case script.Hang:
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	case script.Unavailable:
		refuse(w,
			Refusal{Code: http.StatusServiceUnavailable, Reason: "ServiceUnavailable",
				Message: "apiserver not ready"})
	case script.Unauthorized || r.Header.Get("Authorization") != "Bearer "+Token:
		refuse(w, Refusal{Code: http.StatusUnauthorized, Reason: "Unauthorized",
			Message: "Unauthorized"})
	case script.Forbidden:
		refuse(w, Refusal{Code: http.StatusForbidden, Reason: "Forbidden", Message: "forbidden"})
	case r.URL.Path == "/readyz":
		readyz(w, script.NotReady)
	case s.cluster.rawAt(r.URL.Path) != nil:
		s.cluster.rawAt(r.URL.Path)(w, r)
	default:
		s.api(w, r, script, stop)
	}
}

// readyz answers in the format of k8s.io/apiserver's healthz.
func readyz(w http.ResponseWriter, failing []string) {
	lines := []string{"[+]ping ok", "[+]log ok"}
	for _, name := range failing {
		lines = append(lines, "[-]"+name+" failed: reason withheld")
	}
	if len(failing) == 0 {
		_, _ = fmt.Fprint(w, strings.Join(append(lines, "readyz check passed"), "\n")+"\n")
		return
	}
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprint(w, strings.Join(append(lines, "readyz check failed"), "\n")+"\n")
}
