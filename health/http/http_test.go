package http

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/kube"
	"strata/health/rollout"
	"strata/tests/gates/fakeapi"
)

func TestHTTPVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "http", judgeHTTP)
}

// current returns a change for healthtest.Issue that makes the certificate valid now.
func current(name string) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter, c.DNSNames = time.Now().Add(-time.Hour), time.Now().Add(time.Hour), []string{name}
	}
}

// serving starts a TLS server with a certificate and returns its port.
func serving(t *testing.T, with healthtest.Issued, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = nil
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{with.Cert.Raw}, PrivateKey: with.Key}}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	return address.Port()
}

func TestProbeDialsServiceAddressWithURLHost(t *testing.T) {
	root := healthtest.Issue(t, "root", nil, func(c *x509.Certificate) { current("")(c); c.IsCA, c.DNSNames = true, nil })
	web := healthtest.Issue(t, "web.example.org", &root, current("web.example.org"))
	port := serving(t, web, func(w http.ResponseWriter, r *http.Request) {
		assert.True(t, r.Close, "a connection of its own, so that whatever balances chooses anew")
		user, password, sent := r.BasicAuth()
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, "/home?x=1", http.StatusFound)
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		case r.URL.Path == "/lost":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<h1>Not Found</h1>")
		case r.URL.Path == "/private" && (user != "admin" || password != "a:b"):
			w.WriteHeader(http.StatusUnauthorized)
		default:
			assert.Equal(t, sent, r.URL.Path == "/private")
			_, _ = io.WriteString(w, r.Method+" at "+r.Host)
		}
	})
	pool := x509.NewCertPool()
	pool.AddCert(root.Cert)
	target := httpTarget{address: "127.0.0.1", roots: pool, user: "admin", password: "a:b"}
	base := "https://web.example.org:" + port
	ask := func(p Probe) httpAnswer {
		answer := target.ask(t.Context(), p)
		answer.Within = ""
		return answer
	}
	assert.Equal(t, httpAnswer{Seen: true, Status: 200}, ask(Probe{URL: base + "/", Contains: "GET at web.example.org"}))
	assert.Equal(t, httpAnswer{Seen: true, Status: 200, Lacks: true}, ask(Probe{URL: base + "/", Contains: "elsewhere"}))
	assert.Equal(t, httpAnswer{Seen: true, Status: 200}, ask(Probe{URL: base + "/", Method: "POST", Contains: "POST at"}))
	assert.Equal(t, httpAnswer{Seen: true, Status: 302, Location: base + "/home?x=1"}, ask(Probe{URL: base + "/away"}))
	assert.Equal(t, httpAnswer{Seen: true, Status: 401}, ask(Probe{URL: base + "/private"}))
	assert.Equal(t, httpAnswer{Seen: true, Status: 200}, ask(Probe{URL: base + "/private", Auth: true}))
	assert.False(t, ask(Probe{URL: base + "/gone"}).Behind, "Traefik's words")
	assert.True(t, ask(Probe{URL: base + "/lost"}).Behind, "an application's words")
	assert.False(t, ask(Probe{URL: base + "/lost", Method: "HEAD"}).Behind, "no body")

	wrong := ask(Probe{URL: "https://other.example.org:" + port + "/"})
	assert.Equal(t, "it is not for other.example.org", wrong.Error)
	assert.Equal(t, "CN=web.example.org (web.example.org)", wrong.Certificate)
	target.roots = x509.NewCertPool()
	assert.Equal(t, httpAnswer{Seen: true, Error: "signed by an unknown authority", Certificate: "CN=web.example.org (web.example.org)"}, ask(Probe{URL: base}))
	assert.Equal(t, httpAnswer{Seen: true, Error: "the request cannot be made"}, ask(Probe{URL: base, Method: "B AD"}))
}

func TestRequestErrorsAreExplained(t *testing.T) {
	cert := healthtest.Issue(t, "a", nil, healthtest.AsLeaf).Cert
	for _, c := range []struct {
		err               error
		text, certificate string
	}{
		{x509.CertificateInvalidError{Cert: cert, Reason: x509.Expired}, "valid from 2026-01-01T00:00:00Z to 2026-01-01T10:00:00Z only", "CN=a (a)"},
		{x509.CertificateInvalidError{Cert: cert, Reason: x509.NotAuthorizedToSign}, "x509: certificate is not authorized to sign other certificates", "CN=a (a)"},
		{x509.UnknownAuthorityError{}, "signed by an unknown authority", "an unreadable subject"},
		{errors.New("remote error: tls: unrecognized name"), "tls: unrecognized name", ""},
		{errors.New("dial tcp 10.0.0.1:1->10.0.0.2:80: connect: connection refused"), "connection refused", ""},
	} {
		text, certificate := httpTrouble(c.err)
		assert.Equal(t, []string{c.text, c.certificate}, []string{text, certificate})
	}
}

func TestHTTPHelpersRoundLatencyAndResolveURLs(t *testing.T) {
	for latency, want := range map[time.Duration]string{
		0: "10ms", 10 * time.Millisecond: "10ms", 11 * time.Millisecond: "100ms", 100 * time.Millisecond: "100ms", 101 * time.Millisecond: "1s", time.Second: "1s", 2 * time.Second: "3s",
	} {
		assert.Equal(t, want, roundLatency(latency))
	}
	from, err := url.Parse("http://a/b/c")
	require.NoError(t, err)
	assert.Equal(t, "http://a/b/d", absolute(from, "d"))
	assert.Equal(t, "https://x/", absolute(from, "https://x/"))
	assert.Empty(t, absolute(from, ""))
	assert.Equal(t, "%zz", absolute(from, "%zz"))
	ca, leafOf := []byte("ca"), []byte("leaf")
	assert.Equal(t, ca, caIn(map[string][]byte{"ca.crt": ca, "tls.crt": leafOf}))
	assert.Equal(t, leafOf, caIn(map[string][]byte{"ca.crt": nil, "tls.crt": leafOf}))
	assert.Nil(t, caIn(nil))
	_, why := rootsOf(nil, "n/s")
	assert.Contains(t, why, "no ca.crt")
	_, why = rootsOf(ca, "n/s")
	assert.Contains(t, why, "holds no certificate")
	_, why = rootsOf(healthtest.Issue(t, "a", nil, healthtest.AsLeaf).Pem(), "n/s")
	assert.Empty(t, why)
}

func TestOpenHTTPGateReportsLatencyPerProbe(t *testing.T) {
	checks := []health.Verdict{
		{Check: "ca apisix/ca", State: health.Ready},
		{Check: "http login", State: health.Ready, Message: httpAnswer{Status: 200, Took: "41ms", Attempts: 3}.message()},
	}
	spec := health.Spec{Gate: "validation-probes", Body: Spec{}}
	assert.Equal(t, "validation-probes: ready after 2s\n  http login: 200 in 41ms, after 3 attempts\n", health.NewResult(spec, health.EndedOpen, 2*time.Second, checks).Report())
	spec.Body = rollout.Spec{}
	assert.Equal(t, "validation-probes: ready after 2s\n", health.NewResult(spec, health.EndedOpen, 2*time.Second, checks).Report(), "others have reported what they found")
}

func TestHTTPPassesResetOnFailureOrNewTarget(t *testing.T) {
	probe := Probe{Name: "p", Status: []int{302}, RedirectTo: "https://x/"}
	good := httpAnswer{Name: "p", Seen: true, Status: 302, Location: "https://x/"}
	w := &httpWatch{news: make(chan struct{}, 1), epoch: 1}
	take := func(epoch int, change func(*httpAnswer)) int {
		a := good
		change(&a)
		w.take(epoch, probe, a, time.Millisecond)
		if len(w.facts.Answers) == 0 {
			return 0
		}
		return w.facts.Answers[0].Passes
	}
	same := func(*httpAnswer) {}
	assert.Equal(t, 0, take(0, same), "an answer of an earlier target")
	assert.Equal(t, 1, take(1, same))
	assert.Equal(t, 2, take(1, same))
	<-w.news
	assert.Equal(t, 2, take(1, same))
	assert.Empty(t, w.news, "the same again is no news")
	assert.Equal(t, []string{"1ms", "302 in 1ms, after 2 attempts"}, []string{w.facts.Answers[0].Took, w.facts.Answers[0].message()})
	for _, spoil := range []func(*httpAnswer){
		func(a *httpAnswer) { a.Status = 200 }, func(a *httpAnswer) { a.Error = "x" }, func(a *httpAnswer) { a.Lacks = true }, func(a *httpAnswer) { a.Location = "https://y/" },
	} {
		take(1, same)
		assert.Equal(t, 0, take(1, spoil))
	}
	assert.True(t, answerPasses(Probe{}, httpAnswer{Status: 200, Location: "https://y/"}), "a Location that the probe does not ask for")
	assert.Nil(t, w.judge(), "before the first observation")
}

func TestHTTPSpecErrorsNameFields(t *testing.T) {
	good := func() Spec {
		return Spec{Namespace: "n", Service: "s", CASecret: "n/ca", Probes: []Probe{{Name: "a", URL: "https://a/", Status: []int{100, 599}, RedirectTo: "https://b/"}, {Name: "b", URL: "http://a:8080/x"}}}
	}
	check := func(change func(*Spec)) error {
		spec := good()
		change(&spec)
		return healthtest.Valid(spec).Validate()
	}
	require.NoError(t, check(func(s *Spec) { s.CASecret = "" }))
	require.NoError(t, check(func(*Spec) {}))
	for want, change := range map[string]func(*Spec){
		"namespace or service":         func(s *Spec) { s.Namespace = "" },
		"namespace or service is":      func(s *Spec) { s.Service = "" },
		`found "ca"`:                   func(s *Spec) { s.CASecret = "ca" },
		`found "/ca"`:                  func(s *Spec) { s.CASecret = "/ca" },
		`found "n/"`:                   func(s *Spec) { s.CASecret = "n/" },
		"http.probes: empty":           func(s *Spec) { s.Probes = nil },
		"probes[0].name":               func(s *Spec) { s.Probes[0].Name = "" },
		"probes[1].name":               func(s *Spec) { s.Probes[1].Name = "a" },
		"probes[1].url":                func(s *Spec) { s.Probes[1].URL = "ftp://a/" },
		"probes[1].url: expected":      func(s *Spec) { s.Probes[1].URL = "https://" },
		"probes[1].url: expected http": func(s *Spec) { s.Probes[1].URL = "http://%zz" },
		"probes[0].status: 99":         func(s *Spec) { s.Probes[0].Status = []int{99} },
		"probes[0].status: 600":        func(s *Spec) { s.Probes[0].Status = []int{600} },
		"probes[0].redirectTo":         func(s *Spec) { s.Probes[0].RedirectTo = "/b" },
		"probes[0]: redirectTo and":    func(s *Spec) { s.Probes[0].RedirectPrefix = "https://b/" },
		"probes[1].contains: empty":    func(s *Spec) { s.Probes[1].Login = true },
		"probes[0].redirectTo: ":       func(s *Spec) { s.Probes[0].RedirectTo = "%zz" },
	} {
		require.ErrorContains(t, check(change), want)
	}
	err := check(func(s *Spec) { s.Probes[0].URL = "https://admin:secret@a/" })
	require.ErrorContains(t, err, "without user and password")
	assert.NotContains(t, err.Error(), "secret")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(), "http: missing")

	spec := good()
	spec.Probes[1].Auth = true
	secrets := health.Secrets{Kubeconfig: fakeapi.KubeconfigWith(t, "https://127.0.0.1:6443", nil, "t"), BasicAuth: []byte("password-alone")}
	_, err = spec.NewWatch(healthtest.Valid(spec), secrets)
	require.ErrorContains(t, err, "STRATA_BASIC_AUTH")
	assert.NotContains(t, err.Error(), "password-alone")
	spec.Probes[1].Auth, spec.Probes[1].Login = false, true
	_, err = spec.NewWatch(healthtest.Valid(spec), secrets)
	require.ErrorContains(t, err, "STRATA_BASIC_AUTH")
	spec.Probes[1].KeyHeader = "apikey"
	_, err = spec.NewWatch(healthtest.Valid(spec), secrets)
	require.ErrorContains(t, err, "STRATA_API_KEY: empty, and probe b sends it")
	secrets.APIKey = []byte("k")
	secrets.BasicAuth = []byte("u:p")
	_, err = spec.NewWatch(healthtest.Valid(spec), secrets)
	require.NoError(t, err)
}

func TestHTTPGateWatchesServiceAndCASecret(t *testing.T) {
	w := &httpWatch{spec: Spec{Namespace: "n", Service: "s"}}
	assert.Len(t, w.sources(), 2)
	w.spec.CASecret = "m/ca"
	require.Len(t, w.sources(), 3)
	assert.Equal(t, kube.Source{Resource: kube.SecretResource, Namespace: "m", Name: "ca"}, w.sources()[2])
	w.seen = true
	assert.Len(t, w.judge(), 2, "address and CA")
}

func TestHTTPChecksCountAsMeasurements(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, Measures: true}, Spec{}.Traits())
}
