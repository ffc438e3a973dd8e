package gates_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/api"
	"strata/tests/gates/fakeapi"
)

func TestAPIGateOpensWhenLastServerIsReady(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 3)
	c.Servers[1].Script(fakeapi.Script{NotReady: []string{"etcd", "informer-sync"}})
	c.Servers[2].Stop()
	gate := start(t, c, health.Spec{Body: api.Spec{}, Servers: c.URLs()})
	gate.says("etcd, informer-sync not ready")
	gate.says("refuses connections")
	c.Servers[1].Script(fakeapi.Script{})
	gate.stays(300 * time.Millisecond)
	c.Servers[2].Start()
	assert.Len(t, gate.opens().Checks, 3)
}

func TestAPIGateWaitsWhileServerHangs(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 2)
	c.Servers[1].Script(fakeapi.Script{Hang: true})
	gate := start(t, c, health.Spec{Body: api.Spec{}, Servers: c.URLs()})
	require.Eventually(t, func() bool {
		return strings.Contains(gate.progress.String(),
			"does not answer in time")
	}, 8*time.Second, 50*time.Millisecond)
	c.Servers[1].Script(fakeapi.Script{})
	gate.ends(8 * time.Second)
}

func TestAPIGateStaysClosedWhileK3sAnswers503(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.Servers[0].Script(fakeapi.Script{Unavailable: true})
	gate := start(t, c, health.Spec{Body: api.Spec{}, Servers: c.URLs()})
	gate.says("/readyz answered 503")
	gate.says("K3s has not started the API server")
	c.Servers[0].Script(fakeapi.Script{})
	gate.opens()
}

func TestAPIGateWaitsWhileStartingK3sAnswers401(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.Servers[0].Script(fakeapi.Script{Unauthorized: true})
	gate := start(t, c, health.Spec{Body: api.Spec{}, Servers: c.URLs()})
	gate.says("rejects the credentials (401)")
	gate.stays(2 * time.Second)
	c.Servers[0].Script(fakeapi.Script{})
	gate.opens()
}

// certain is the longest time until a gate is stuck: a fault must last for ten seconds, in which a
// starting server would recover.
const certain = 15 * time.Second

func TestAPIGateIsStuckOnWrongCredentials(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.Servers[0].Script(fakeapi.Script{Unauthorized: true})
	result := start(t, c, health.Spec{Body: api.Spec{}, Servers: c.URLs()}).sticks(certain)
	assert.Contains(t, result.Checks[0].Cause, "credentials are not this cluster's")
}

func TestAPIGateIsStuckWhenOtherClusterHoldsAddress(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	secrets := health.Secrets{Kubeconfig: fakeapi.KubeconfigWith(t, c.URLs()[0], otherCA(t),
		fakeapi.Token)}
	result := startWith(t, health.Spec{Body: api.Spec{}, Servers: c.URLs()},
		secrets).sticks(certain)
	assert.Contains(t, result.Checks[0].Message, "certificate of another CA")
	assert.Contains(t, result.Checks[0].Hint, "/cacerts")
}

func TestAPIGateIsStuckOnCertificateForOtherNames(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	// The server's certificate is for 127.0.0.1 and not for localhost.
	url := strings.Replace(c.URLs()[0], "127.0.0.1", "localhost", 1)
	result := start(t, c, health.Spec{Body: api.Spec{}, Servers: []string{url}}).sticks(certain)
	assert.Contains(t, result.Checks[0].Hint, "tls-san")
}

// otherCA returns a CA that has signed none of the test's certificates.
func otherCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
