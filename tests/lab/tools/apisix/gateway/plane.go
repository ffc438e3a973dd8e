package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"strata/tests/lab/tools/apisix/admin"
	"strata/tests/lab/tools/apisix/delays"
)

// plane is the data plane: the controller's last message, the part of it that is in force, and the
// counts.
type plane struct {
	access  access
	sent    atomic.Pointer[loaded]
	current atomic.Pointer[loaded]
	// upstreams are in force by themselves (follow).
	upstreams atomic.Pointer[map[string]admin.Upstream]
	splits    splits
	metrics   *metrics
	login     *login
}

// loaded is a configuration that the controller sent, with its certificates parsed and its objects
// indexed.
type loaded struct {
	admin.Config
	// digest is the value of the digest header that the controller sent.
	digest string
	pairs  []pair
	// splits are plugin traffic-split's, by the id of the route; services and upstreams by their
	// own.
	splits    map[string]admin.Split
	services  map[string]admin.Service
	upstreams map[string]admin.Upstream
}

// pair is a certificate with the names that it is shown for.
type pair struct {
	names       []string
	certificate *tls.Certificate
}

func newPlane(who access) *plane {
	return &plane{access: who, metrics: newMetrics(), login: newLogin()}
}

// status answers the readiness probe: not ready before there is a configuration.
func (p *plane) status(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/status/ready" && p.sent.Load() == nil:
		say(w, http.StatusServiceUnavailable, map[string]string{"status": "error",
			"error": "worker has not received configuration"})
	case r.URL.Path == "/status/ready", r.URL.Path == "/status":
		say(w, http.StatusOK, map[string]string{"status": "ok"})
	default:
		say(w, http.StatusNotFound, nil)
	}
}

// load reads a configuration whole: one with a mistake changes nothing.
func load(body io.Reader) (*loaded, error) {
	sent := &loaded{}
	if err := json.NewDecoder(body).Decode(&sent.Config); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	for _, ssl := range sent.SSLs {
		certificate, err := tls.X509KeyPair([]byte(ssl.Cert), []byte(ssl.Key))
		if err != nil {
			return nil, fmt.Errorf("ssl %s: %w", strings.Join(ssl.SNIs, ", "), err)
		}
		sent.pairs = append(sent.pairs, pair{ssl.SNIs, &certificate})
	}
	return sent, sent.index()
}

// follow takes the message into force: routes and upstreams each for themselves, as each worker of
// the original does. So for a moment there may be a route whose upstream is not there yet, or has
// gone.
func (p *plane) follow(ctx context.Context) {
	for _, take := range []func(){p.takeRoutes, p.takeUpstreams} {
		go func() {
			time.Sleep(rand.N(max(delays.Poll(), 1))) // they started at different times
			for tick := time.Tick(max(delays.Poll(), time.Millisecond)); ctx.Err() == nil; <-tick {
				take()
			}
		}()
	}
}

func (p *plane) takeRoutes() { p.current.Store(p.sent.Load()) }

func (p *plane) takeUpstreams() {
	if sent := p.sent.Load(); sent != nil {
		p.upstreams.Store(&sent.upstreams)
	}
}

// certificate returns the certificate for the name that a client asks for.
func (p *plane) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if sent := p.current.Load(); sent != nil {
		for _, pair := range sent.pairs {
			if fits(pair.names, hello.ServerName) {
				return pair.certificate, nil
			}
		}
	}
	return nil, errors.New("failed to match any SSL certificate by SNI: " + hello.ServerName)
}

// fits reports whether one of the names, which may begin with a wildcard for one label, is a
// host's. No names are every host's.
func fits(names []string, host string) bool {
	for _, name := range names {
		_, parent, dotted := strings.Cut(host, ".")
		if name == host || dotted && name == "*."+parent {
			return true
		}
	}
	return len(names) == 0
}

func say(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Server", "APISIX/stand-in")
	w.WriteHeader(code)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body) // the client may be gone
	}
}
