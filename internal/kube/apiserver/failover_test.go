package apiserver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/kube/apiserver"
)

// server starts an API server whose /version contains a name.
func server(t *testing.T, name string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(`{"gitVersion":"` + name + `"}`))
		assert.NoError(t, err)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestClientFailsOverToNextServer(t *testing.T) {
	first, second := server(t, "first"), server(t, "second")
	config := &rest.Config{Host: first.URL}
	client, err := kubernetes.NewForConfig(apiserver.Failover(config,
		[]string{first.Listener.Addr().String(), second.Listener.Addr().String()}))
	require.NoError(t, err)
	answer := func() string {
		version, err := client.Discovery().ServerVersion()
		require.NoError(t, err)
		return version.GitVersion
	}
	assert.Equal(t, "first", answer())
	first.CloseClientConnections()
	first.Close()
	assert.Equal(t, "second", answer())
	assert.Nil(t, config.Dial, "the caller's configuration is its own")
}

func TestClientOfOneServerFailsWhenServerIsGone(t *testing.T) {
	first, second := server(t, "first"), server(t, "second")
	client, err := kubernetes.NewForConfig(apiserver.Failover(&rest.Config{Host: second.URL},
		[]string{first.Listener.Addr().String()}))
	require.NoError(t, err)
	version, err := client.Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, "first", version.GitVersion)
	first.Close()
	_, err = client.Discovery().ServerVersion()
	require.ErrorContains(t, err, "connection refused")
}

// An upgrade may add an address to the configuration. The certificate of a server has that address
// only once the server is upgraded (K3s: tls-san-security).
func TestFailoverAcceptsAddressMissingFromCertificate(t *testing.T) {
	s, ca := tlsServer(t, "kubernetes")
	config := &rest.Config{Host: "https://192.0.2.10:6443",
		TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
	client, err := kubernetes.NewForConfig(apiserver.Failover(config,
		[]string{s.Listener.Addr().String()}))
	require.NoError(t, err)
	_, err = client.Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Empty(t, config.ServerName, "the caller's configuration is its own")

	_, another := tlsServer(t, "kubernetes")
	config.CAData = another
	client, err = kubernetes.NewForConfig(apiserver.Failover(config,
		[]string{s.Listener.Addr().String()}))
	require.NoError(t, err)
	_, err = client.Discovery().ServerVersion()
	require.ErrorContains(t, err, "certificate signed by unknown authority")
}

// tlsServer starts an API server with a self-signed certificate of one name.
func tlsServer(t *testing.T, name string) (s *httptest.Server, ca []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(`{"gitVersion":"v1"}`))
		assert.NoError(t, err)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate},
		PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
}
