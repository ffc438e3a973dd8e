package issuer

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"strata/health"
	"strata/health/healthtest"
)

func TestCAFactsShowIfCADiffersFromRecordedCA(t *testing.T) {
	one := healthtest.Issue(t, "one", nil, healthtest.AsCA)
	other := healthtest.Issue(t, "other", nil, healthtest.AsCA)
	recorded, err := certificateIn(one.Pem())
	require.NoError(t, err)
	same := caFactsOf(&corev1.Secret{Data: map[string][]byte{"tls.crt": one.Pem()}}, recorded)
	assert.Equal(t, same.Expected, same.Found)
	assert.Len(t, same.Found, 64)
	assert.NotEmpty(t, same.Made)
	assert.NotEqual(t, same.Expected, caFactsOf(
		&corev1.Secret{Data: map[string][]byte{"tls.crt": other.Pem()}}, recorded).Found)
	for _, none := range []*corev1.Secret{nil, {}, {Data: map[string][]byte{"tls.crt": []byte("no certificate")}}} {
		assert.Equal(t, &caFacts{Missing: true}, caFactsOf(none, recorded))
	}
}

// The API server is nil, so a request for the Secret would fail the test.
func TestReadOnlyUserSkipsCACheckOfIssuer(t *testing.T) {
	recorded, err := certificateIn(healthtest.Issue(t, "one", nil, healthtest.AsCA).Pem())
	require.NoError(t, err)
	facts, err := (&issuerWatch{recorded: recorded, reader: true}).ca(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, &caFacts{Unread: true}, facts)
	facts, err = (&issuerWatch{reader: true}).ca(t.Context(), nil)
	require.NoError(t, err)
	assert.Nil(t, facts, "none in particular is asked for")
}

func TestRecordedCAMustBePEMCertificate(t *testing.T) {
	spec := healthtest.Valid(Spec{Name: "i", CA: &CA{Secret: "a/b", Certificate: "PEM"}})
	_, err := spec.Body.NewWatch(spec, health.Secrets{Kubeconfig: []byte(kubeconfig)})
	require.ErrorContains(t, err, "issuer.ca.certificate: expected a certificate in PEM")
}

const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
`
