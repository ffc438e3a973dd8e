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

// plane is the data plane: the last configuration that it received, the configuration in use, and
// metrics.
type plane struct {
	access  access
	sent    atomic.Pointer[loaded]
	current atomic.Pointer[loaded]
	// upstreams are the upstreams in use. They are updated separately from the routes (see follow).
	upstreams atomic.Pointer[map[string]admin.Upstream]
	splits    splits
	metrics   *metrics
	login     *login
}

// loaded is a received configuration, with parsed certificates and indexed objects.
type loaded struct {
	admin.Config
	// digest is the value of the request's digest header.
	digest string
	pairs  []pair
	// splits has the configurations of plugin traffic-split by route id. services and upstreams are
	// indexed by their own id.
	splits    map[string]admin.Split
	services  map[string]admin.Service
	upstreams map[string]admin.Upstream
}

// pair is a certificate and the host names for which it is used.
type pair struct {
	names       []string
	certificate *tls.Certificate
}

func newPlane(who access) *plane {
	return &plane{access: who, metrics: newMetrics(), login: newLogin()}
}

// status handles the readiness probe. The data plane is not ready until it has received a
// configuration.
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

// load parses and checks a complete configuration. A configuration with a mistake is rejected as a
// whole.
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

// follow puts the received configuration into use until ctx ends. Like each worker of APISIX, it
// updates routes and upstreams separately. So for a moment, a route may refer to an upstream that
// does not exist yet, or no longer exists.
func (p *plane) follow(ctx context.Context) {
	for _, take := range []func(){p.takeRoutes, p.takeUpstreams} {
		go func() {
			time.Sleep(rand.N(max(delays.Poll(), 1))) // like upstream's timers, they start at different times
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

// certificate returns the certificate for the host name in a TLS handshake.
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

// fits reports whether a host matches one of the names. A name may begin with "*." for exactly one
// label. An empty list matches every host.
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
		_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
	}
}
