package main

import (
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"strata/tests/lab/tools/apisix/admin"
)

// plane is the data plane: what the controller sent last, and what was counted.
type plane struct {
	key     string
	current atomic.Pointer[loaded]
	metrics *metrics
	login   *login
}

// loaded is a configuration that is in force.
type loaded struct {
	admin.Config
	pairs []pair
}

// pair is a certificate with the names that it is shown for.
type pair struct {
	names       []string
	certificate *tls.Certificate
}

func newPlane(key string) *plane {
	return &plane{key: key, metrics: newMetrics(), login: newLogin()}
}

// status is the endpoint of the readiness probe: not ready before there is a configuration.
func (p *plane) status(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/status/ready" && p.current.Load() == nil:
		say(w, http.StatusServiceUnavailable, map[string]string{"status": "error", "error": "worker has not received configuration"})
	case r.URL.Path == "/status/ready", r.URL.Path == "/status":
		say(w, http.StatusOK, map[string]string{"status": "ok"})
	default:
		say(w, http.StatusNotFound, nil)
	}
}

// admin takes a configuration from who has the key.
func (p *plane) admin(w http.ResponseWriter, r *http.Request) {
	switch {
	case subtle.ConstantTimeCompare([]byte(r.Header.Get(admin.Header)), []byte(p.key)) != 1:
		say(w, http.StatusUnauthorized, map[string]string{"description": "wrong apikey"})
	case r.URL.Path != admin.Path || r.Method != http.MethodPut:
		say(w, http.StatusNotFound, map[string]string{"error_msg": "not found"})
	default:
		sent, err := load(r.Body)
		if err != nil {
			say(w, http.StatusBadRequest, map[string]string{"error_msg": err.Error()})
			return
		}
		p.current.Store(sent)
		say(w, http.StatusAccepted, nil)
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
	return sent, nil
}

// certificate is the one for the name that a client asks for.
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

// fits reports whether one of the names, which may begin with a wildcard for one label, is a host's. No names are every host's.
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
