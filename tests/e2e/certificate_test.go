package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// platformCertificate is the API path of the Certificate behind every URL of the platform.
const platformCertificate = "/apis/cert-manager.io/v1/namespaces/traefik/certificates/traefik-tls"

// served returns the certificate that a URL shows, and requires that its chain leads to the
// exported CA.
func (s *stack) served(t require.TestingT, roots *x509.CertPool, address string) *x509.Certificate {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	connection, err := tls.DialWithDialer(dialer, "tcp", net.JoinHostPort(address, "443"),
		&tls.Config{
			RootCAs: roots, ServerName: "traefik.platform.test",
		})
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0]
}

// renews makes cert-manager issue the platform's certificate again, as `cmctl renew` does, and
// waits until the URL shows the new one.
func (s *stack) renews(t *testing.T) {
	roots := rootsOf(t, s.output("caCertificate"))
	address := s.output("ingressAddress")
	before := s.served(t, roots, address)
	s.patch(t, platformCertificate+"/status", fmt.Sprintf(`[{"op":"add","path":"/status/conditions/-","value":
		{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"by the story","lastTransitionTime":%q}}]`, time.Now().UTC().Format(time.RFC3339)))
	started := time.Now()
	eventually(t, func(c require.TestingT) {
		require.NotEqual(c, before.SerialNumber, s.served(c, roots, address).SerialNumber,
			"it still shows the one of before")
	})
	t.Logf("the new certificate is served after %s",
		time.Since(started).Round(100*time.Millisecond))
}

// namesAWrongIssuer makes the certificate ask for an issuer that does not exist, and checks the
// gate's message.
func (s *stack) namesAWrongIssuer(t *testing.T) {
	issuer := func(name string) {
		s.patch(t, platformCertificate, `[{"op":"replace","path":"/spec/issuerRef/name","value":"`+
			name+`"}]`)
	}
	issuer("no-such-issuer")
	s.unhealthy(t, []string{"--gate", "traefik-tls-gate"},
		"the issuer that it names does not exist", "no-such-issuer")
	issuer("strata")
	s.healthy("--gate", "traefik-tls-gate")
}

// patch changes an object by a JSON patch.
func (s *stack) patch(t *testing.T, path, patch string) {
	_, err := s.client().RESTClient().Patch(types.JSONPatchType).AbsPath(path).Body(
		[]byte(patch)).DoRaw(context.Background())
	require.NoError(t, err)
}
