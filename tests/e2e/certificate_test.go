package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// platformCertificate is the API path of the Certificate for all URLs of the platform.
const platformCertificate = "/apis/cert-manager.io/v1/namespaces/traefik/certificates/traefik-tls"

// served returns the certificate for the dashboard's name at an address, verified with roots.
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

// renews makes cert-manager issue the platform's certificate again, like `cmctl renew`, and waits
// until the URL serves the new one.
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

// outside is a Certificate for a domain that the CA does not permit. The platform's issuer signs it
// nevertheless.
const outside = `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: outside}
spec:
  secretName: outside
  dnsNames: [shop.elsewhere.test]
  issuerRef: {name: strata, kind: ClusterIssuer, group: cert-manager.io}
`

// verifies prints OpenSSL's verdict on a certificate in the CA's domain, and on one outside.
const verifies = `set -eu
cd "$(mktemp -d)"
get() { k3s kubectl -n "$1" get secret "$2" -o jsonpath='{.data.tls\.crt}' | base64 -d > "$2"; }
get cert-manager strata-ca
get traefik traefik-tls
get default outside
openssl verify -CAfile strata-ca traefik-tls
! openssl verify -CAfile strata-ca outside 2>&1`

// keepsToItsDomain requests a certificate of another domain from the stack's CA, which
// certManager.nameConstraints limits. Clients and the gate must refuse that certificate.
func (s *stack) keepsToItsDomain(t *testing.T, hosts *hostSet) {
	s.admitted(t, "/apis/cert-manager.io/v1/namespaces/default/certificates", outside)
	secrets := s.client().CoreV1().Secrets("default")
	eventually(t, func(c require.TestingT) {
		_, err := secrets.Get(context.Background(), "outside", metav1.GetOptions{})
		require.NoError(c, err)
	})
	secret, err := secrets.Get(t.Context(), "outside", metav1.GetOptions{})
	require.NoError(t, err)
	const refused = "is not permitted by any constraint"
	_, err = parsed(t, secret.Data["tls.crt"]).Verify(x509.VerifyOptions{
		Roots: rootsOf(t, s.output("caCertificate"))})
	require.ErrorContains(t, err, refused)
	said := hosts.must("server-1", verifies)
	assert.Contains(t, said, "traefik-tls: OK")
	assert.Contains(t, said, "permitted subtree violation")
	s.refusedWithin(t, 5*time.Second, func(limit string) result {
		return s.gate(hosts, "certificate", map[string]any{"namespace": "default",
			"name": "outside", "secret": "outside", "dnsNames": []string{"shop.elsewhere.test"},
			"caSecret": "cert-manager/strata-ca"}, limit)
	}, refused, "the CA was made with a certManager.nameConstraints that leaves this name out")
	hosts.must("server-1", "k3s kubectl delete certificate/outside secret/outside")
}

// namesAWrongIssuer changes the Certificate's issuer to one that does not exist, and checks the
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
