package gates_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
	urls "strata/health/http"
	"strata/tests/gates/fakeapi"
)

// site is an ingress controller, whose answers a test changes while a gate requests them.
type site struct {
	port    string
	pair    atomic.Pointer[signed]
	handler atomic.Pointer[http.HandlerFunc]
}

const basicAuth = "admin:correct horse"

// guarded is a dashboard behind basic authentication.
func guarded(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user+":"+password != basicAuth {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	// The page repeats the request's credentials. No message of the gate may show them.
	_, _ = io.WriteString(w, "Traefik dashboard "+r.Header.Get("Authorization"))
}

func newSite(t testing.TB, pair *signed) *site {
	t.Helper()
	s := &site{}
	s.set(pair, guarded)
	server := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			(*s.handler.Load())(w, r)
		}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			now := s.pair.Load().pair()
			return &now, nil
		}}
	server.StartTLS()
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	s.port = address.Port()
	return s
}

func (s *site) set(pair *signed, handler http.HandlerFunc) {
	s.pair.Store(pair)
	s.handler.Store(&handler)
}

func answering(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func httpSpec(c *fakeapi.Cluster, s *site) health.Spec {
	page := fmt.Sprintf("https://traefik.example.org:%s/dashboard/", s.port)
	return health.Spec{Servers: c.URLs(), Body: urls.Spec{
		Namespace: "traefik", Service: "traefik", CASecret: "cert-manager/root-ca", Probes: []urls.Probe{
			{Name: "refused", URL: page, Status: []int{401}},
			{Name: "allowed", URL: page, Auth: true, Contains: "Traefik dashboard"},
		},
	}}
}

func TestHTTPGateReportsFaultsUntilHealed(t *testing.T) { //nolint:funlen // a table of cases
	t.Parallel()
	root := sign(t, "root", nil)
	good := sign(t, "traefik.example.org", root)
	other := sign(t, "traefik.example.org", sign(t, "root", nil))
	fallback := sign(t, "TRAEFIK DEFAULT CERT", root)
	for _, fault := range []struct {
		name  string
		spoil func(t testing.TB, c *fakeapi.Cluster, s *site)
		says  string
	}{
		{"no address", func(t testing.TB, c *fakeapi.Cluster, _ *site) {
			c.PutAll(service(t, map[string]any{"address": ""}))
		}, "no address yet"},
		{"no CA", func(_ testing.TB, c *fakeapi.Cluster, _ *site) {
			c.Delete("v1", "secrets", "cert-manager", "root-ca")
		}, "has no ca.crt and no tls.crt yet"},
		{"no route", func(_ testing.TB, _ *fakeapi.Cluster, s *site) {
			s.set(good, answering(404))
		}, "expected 200, found 404 (no route for this host and path yet"},
		{"no Pod", func(_ testing.TB, _ *fakeapi.Cluster, s *site) { s.set(good, answering(503)) },
			"expected 401, found 503 (the route is there"},
		{"no authentication", func(_ testing.TB, _ *fakeapi.Cluster, s *site) {
			s.set(good, answering(200))
		}, "expected 401, found 200 (it answers without authentication"},
		{"other credentials", func(_ testing.TB, _ *fakeapi.Cluster, s *site) {
			s.set(good, answering(401))
		}, "the user and password are not accepted"},
		{"another page", func(_ testing.TB, _ *fakeapi.Cluster, s *site) {
			s.set(good, func(w http.ResponseWriter, r *http.Request) {
				if _, _, sent := r.BasicAuth(); !sent {
					w.WriteHeader(http.StatusUnauthorized)
				}
			})
		}, `does not contain "Traefik dashboard"`},
		{"the default certificate", func(_ testing.TB, _ *fakeapi.Cluster, s *site) {
			s.set(fallback, guarded)
		}, "Traefik serves its default certificate"},
		{"the certificate of another CA", func(_ testing.TB, _ *fakeapi.Cluster, s *site) {
			s.set(other, guarded)
		}, "CN=traefik.example.org (traefik.example.org) is refused: signed by an unknown authority"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			s := newSite(t, good)
			heal := func() {
				s.set(good, guarded)
				c.PutAll(service(t, nil))
				c.Put(tlsSecret("cert-manager", "root-ca", nil, nil, root.crt))
			}
			heal()
			fault.spoil(t, c, s)
			gate := startWith(t, httpSpec(c, s), health.Secrets{Kubeconfig: c.Kubeconfig(),
				BasicAuth: []byte(basicAuth)})
			gate.says(fault.says)
			gate.stays(500 * time.Millisecond)
			heal()
			report := gate.opens().Report()
			for _, text := range []string{report, gate.progress.String()} {
				assert.NotContains(t, text, "correct horse")
				assert.NotContains(t, text, "Basic ")
			}
		})
	}
}

func TestHTTPGateStaysClosedWhileOnePodFails(t *testing.T) {
	t.Parallel()
	root := sign(t, "root", nil)
	good := sign(t, "traefik.example.org", root)
	c, s := fakeapi.New(t, 1), newSite(t, good)
	c.PutAll(service(t, nil))
	c.Put(tlsSecret("cert-manager", "root-ca", root.crt, nil, nil))
	var asked atomic.Int32
	s.set(good, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	spec := httpSpec(c, s)
	healthtest.Change(&spec, func(s *urls.Spec) { s.Probes = s.Probes[:1] })
	gate := start(t, c, spec)
	gate.says("found 404")
	gate.stays(time.Second)
	s.set(good, guarded)
	gate.opens()
}
