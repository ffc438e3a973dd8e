package artifacts_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// mirror is a server with its own CA and a password. It serves the files of some pins at
// /strata/HOST/PATH.
type mirror struct {
	*httptest.Server
	mutex sync.Mutex
	files map[string]string
	// redirect, if set, is the address to which every request is redirected.
	redirect string
	asked    []string
}

const mirrorUser, mirrorPassword = "reader", "hunter2"

func newMirror(t *testing.T, pins []config.Pin) *mirror {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	m := &mirror{files: map[string]string{}}
	for _, pin := range pins {
		m.files[below(pin.URL)] = "content of " + pin.URL
		if pin.Sums != "" {
			m.files[below(pin.Sums)] += sum("content of "+pin.URL) + "  " +
				path.Base(pin.URL) + "\n"
		}
	}
	m.Server = serveTLS(t, "127.0.0.1", ownCA(t), m)
	return m
}

// ownCA returns a self-signed CA certificate for two loopback addresses, which a server can use.
func ownCA(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 2)},
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(made)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{made}, PrivateKey: key, Leaf: leaf}
}

// serveTLS starts a TLS server at a loopback address.
func serveTLS(
	t *testing.T, address string, certificate tls.Certificate, handler http.Handler,
) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(handler)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients without the CA hang up
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// below returns the path at which the mirror serves an upstream URL.
func below(url string) string { return "/strata/" + strings.TrimPrefix(url, "https://") }

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.asked = append(m.asked, r.URL.EscapedPath())
	user, password, _ := r.BasicAuth()
	content, there := m.files[r.URL.EscapedPath()]
	switch {
	case user != mirrorUser || password != mirrorPassword:
		w.WriteHeader(http.StatusUnauthorized)
	case m.redirect != "":
		http.Redirect(w, r, m.redirect, http.StatusFound)
	case !there:
		http.NotFound(w, r)
	default:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	}
}

// from returns the configuration that names the mirror and its CA.
func (m *mirror) from(password string) config.Artifacts {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: m.TLS.Certificates[0].Certificate[0]})
	address := strings.Replace(m.URL, "://", "://"+mirrorUser+":"+password+"@", 1) + "/strata/"
	return config.Artifacts{Source: config.SourceUpstream, Mirror: address, MirrorCA: string(ca)}
}

// onMirror returns a configuration whose artifacts come from the mirror.
func onMirror(t *testing.T, m *mirror) *config.Config {
	t.Helper()
	return stack(t, config.SourceUpstream, func(cfg *config.Config) {
		cfg.Hosts.Driver = config.DriverExisting
		cfg.Artifacts = m.from(mirrorPassword)
	})
}

// One machine fetches from the mirror. Another machine, whose download cache is empty, installs
// from the same lock and mirror.
func TestFetchUsesOnlyMirror(t *testing.T) {
	pins := config.Pins()
	m, project := newMirror(t, pins), t.TempDir()
	var out bytes.Buffer
	require.NoError(t, artifacts.Fetch(t.Context(), project, m.from(mirrorPassword), pins, &out))
	lock, err := artifacts.ReadLock(project)
	require.NoError(t, err)
	require.Len(t, lock.Artifacts, len(pins))
	for _, pin := range pins {
		locked, found := lock.Find(pin)
		require.True(t, found, "the lock names upstream: it is the same with another mirror, and with none")
		assert.Equal(t, sum("content of "+pin.URL), locked.SHA256)
		assert.Contains(t, m.asked, below(pin.URL))
	}
	assert.Contains(t, out.String(), "k3s "+config.K3sVersion+" amd64: "+m.URL+
		below(pins[0].URL)+"\n")
	assert.NotContains(t, out.String(), mirrorPassword)

	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // an empty download cache
	set, err := artifacts.Resolve(onMirror(t, m), project)
	require.NoError(t, err)
	require.NoError(t, set.Materialise(t.Context()))
	for _, artifact := range set.Artifacts() {
		require.NoError(t, artifacts.Verify(filepath.Join(project, artifact.Path), artifact.SHA256))
		assert.NotContains(t, artifact.Origin, m.URL)
	}
}

func TestMaterialiseRefusesMirrorFileThatDiffersFromLock(t *testing.T) {
	pins := config.Pins()
	m, project := newMirror(t, pins), t.TempDir()
	require.NoError(t, artifacts.Fetch(t.Context(), project, m.from(mirrorPassword), pins,
		io.Discard))
	chart := m.chart(t, pins)
	m.files[below(chart)] = "tampered"

	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	set, err := artifacts.Resolve(onMirror(t, m), project)
	require.NoError(t, err)
	err = set.Materialise(t.Context())
	require.ErrorContains(t, err, m.URL+below(chart)+": wrong checksum")
	assert.NotContains(t, err.Error(), mirrorPassword)
}

// chart returns the URL of MetalLB's chart.
func (m *mirror) chart(t *testing.T, pins []config.Pin) string {
	t.Helper()
	for _, pin := range pins {
		if pin.Name == config.ArtifactMetalLBChart {
			return pin.URL
		}
	}
	t.Fatal("MetalLB has no pin")
	return ""
}

func TestFetchErrorsHideMirrorPassword(t *testing.T) {
	pins := config.Pins()[:1]
	m := newMirror(t, pins)
	plain := httptest.NewServer(m)
	t.Cleanup(plain.Close)
	untrusted := m.from(mirrorPassword)
	untrusted.MirrorCA = ""
	cases := map[string]struct {
		from     config.Artifacts
		pin      func(*config.Pin)
		redirect string
		want     []string
	}{
		"wrong password": {from: m.from("hunter22"),
			want: []string{m.URL + below(pins[0].Sums), "401", "strata:artifacts.mirror",
				config.MirrorVariable}},
		"unknown CA": {from: untrusted, want: []string{m.URL, "x509"}},
		"file missing on the mirror": {
			from: m.from(mirrorPassword), pin: func(pin *config.Pin) {
				pin.Sums, pin.URL = "", "https://example.org/missing"
			},
			want: []string{m.URL + "/strata/example.org/missing", "404"},
		},
		"redirect to http": {from: m.from(mirrorPassword), redirect: plain.URL,
			want: []string{"not https"}},
		"encrypted mirror URL": {
			from: config.Artifacts{Mirror: config.Sealed},
			want: []string{"strata:artifacts.mirror is encrypted", config.MirrorVariable,
				"pulumi config get"},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			pin := pins[0]
			if test.pin != nil {
				test.pin(&pin)
			}
			m.redirect = test.redirect
			project := t.TempDir()
			err := artifacts.Fetch(t.Context(), project, test.from, []config.Pin{pin}, io.Discard)
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
			for _, secret := range []string{"hunter2", mirrorUser} {
				assert.NotContains(t, err.Error(), secret)
			}
			assert.NoFileExists(t, filepath.Join(project, artifacts.LockFile))
		})
	}
}

// After a redirect to another host, the request must not contain the mirror's password.
func TestMirrorPasswordIsNotSentToOtherHosts(t *testing.T) {
	pins := []config.Pin{{Name: "metallb-chart", Version: "0.16.2",
		URL: "https://example.org/metallb-0.16.2.tgz"}}
	m := newMirror(t, pins)
	seen := "none"
	storage := serveTLS(t, "127.0.0.2", m.TLS.Certificates[0],
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = r.Header.Get("Authorization")
			_, _ = io.WriteString(w, "chart")
		}))
	m.redirect = storage.URL
	require.NoError(t, artifacts.Fetch(t.Context(), t.TempDir(), m.from(mirrorPassword), pins,
		io.Discard))
	assert.Empty(t, seen)
}

func TestFetchErrorNamesAllMissingArtifacts(t *testing.T) {
	pins := config.Pins()
	m := newMirror(t, pins)
	delete(m.files, below(pins[0].URL))
	delete(m.files, below(m.chart(t, pins)))
	err := artifacts.Fetch(t.Context(), t.TempDir(), m.from(mirrorPassword), pins, io.Discard)
	require.ErrorContains(t, err, "fetch k3s "+config.K3sVersion)
	require.ErrorContains(t, err, "fetch metallb-chart "+config.MetalLBChartVersion)
}
