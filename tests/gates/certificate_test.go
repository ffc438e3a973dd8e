package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/certificate"
	"strata/tests/gates/fakeapi"
)

const certificateText = `
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web, namespace: apps, uid: uid-web, generation: {{.generation}}}
spec: {secretName: web-tls, dnsNames: [web.example.org]}
status:
  {{if .failed}}lastFailureTime: "2026-01-01T00:00:00Z"
  failedIssuanceAttempts: 2{{end}}
  conditions:
    - {type: Ready, status: "{{.ready}}", observedGeneration: {{.observed}}, reason: R, message: "Issuing certificate as Secret does not exist"}
    - {type: Issuing, status: "{{.issuing}}", observedGeneration: {{.observed}}, reason: R, message: "{{.message}}"}
`

const requestText = `
apiVersion: cert-manager.io/v1
kind: CertificateRequest
metadata:
  name: web-1
  namespace: apps
  uid: uid-request
  annotations: {cert-manager.io/certificate-revision: "1"}
  ownerReferences: [{apiVersion: cert-manager.io/v1, kind: Certificate, name: web, uid: uid-web, controller: true}]
status: {conditions: [{type: {{.type}}, status: "{{.status}}", reason: {{.reason}}, message: '{{.message}}'}]}
`

func certificateObject(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{"generation": 2, "observed": 2, "ready": "True", "issuing": "False",
		"message": "", "failed": false}
	for key, value := range values {
		all[key] = value
	}
	return object(t, certificateText, all)
}

func certificateRequest(t testing.TB, kind, status, reason, message string) string {
	t.Helper()
	return object(t, requestText, map[string]any{"type": kind, "status": status, "reason": reason,
		"message": message})
}

// certificateCluster returns a cluster with a Ready Certificate, and its gate. heal restores both.
func certificateCluster(t testing.TB) (c *fakeapi.Cluster, spec health.Spec, root *signed,
	heal func()) {
	t.Helper()
	c = fakeapi.New(t, 2)
	c.Serve(certManager, "Certificate", fakeapi.Resource{Plural: "certificates", Namespaced: true})
	c.Serve(certManager, "CertificateRequest",
		fakeapi.Resource{Plural: "certificaterequests", Namespaced: true})
	root = sign(t, "root", nil)
	web := sign(t, "web.example.org", root)
	heal = func() {
		c.Put(certificateObject(t, nil))
		c.Put(tlsSecret("apps", "web-tls", web.crt, web.pem, root.crt))
	}
	heal()
	return c, health.Spec{Servers: c.URLs(), Body: certificate.Spec{
		Namespace: "apps", Name: "web", Secret: "web-tls", DNSNames: []string{"web.example.org"},
		MinRemaining: metav1.Duration{Duration: time.Minute},
	}}, root, heal
}

func TestCertificateGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	expiring := map[string]any{"ready": "False", "issuing": "True",
		"message": "Issuing certificate as Secret does not exist"}
	for _, fault := range []struct {
		name  string
		spoil func(t testing.TB, c *fakeapi.Cluster, root *signed)
		says  string
	}{
		{"it does not exist, and the Secret of an earlier one does",
			func(_ testing.TB, c *fakeapi.Cluster, _ *signed) {
				c.Delete(certManager, "certificates", "apps", "web")
			}, "certificate apps/web: does not exist"},
		{"ready of an earlier generation", func(t testing.TB, c *fakeapi.Cluster, _ *signed) {
			c.Put(certificateObject(t, map[string]any{"generation": 3}))
		}, "Ready is True of generation 2, expected generation 3"},
		{"being issued", func(t testing.TB, c *fakeapi.Cluster, _ *signed) {
			c.Put(certificateObject(t, expiring))
		}, "Issuing certificate as Secret does not exist"},
		{"Ready without its Secret", func(_ testing.TB, c *fakeapi.Cluster, _ *signed) {
			c.Delete("v1", "secrets", "apps", "web-tls")
		}, "secret apps/web-tls: does not exist"},
		{"Ready with another's key", func(t testing.TB, c *fakeapi.Cluster, root *signed) {
			one, two := sign(t, "web.example.org", root), sign(t, "web.example.org", root)
			c.Put(tlsSecret("apps", "web-tls", one.crt, two.pem, root.crt))
		}, "are no pair"},
		{"Ready for another name", func(t testing.TB, c *fakeapi.Cluster, root *signed) {
			other := sign(t, "old.example.org", root)
			c.Put(tlsSecret("apps", "web-tls", other.crt, other.pem, root.crt))
		}, "not valid for web.example.org, only for old.example.org"},
		{"Ready of another CA", func(t testing.TB, c *fakeapi.Cluster, root *signed) {
			other := sign(t, "web.example.org", sign(t, "root", nil))
			c.Put(tlsSecret("apps", "web-tls", other.crt, other.pem, root.crt))
		}, "chain does not lead to its ca.crt"},
		{"failed because the token has expired", func(t testing.TB, c *fakeapi.Cluster, _ *signed) {
			c.Put(certificateObject(t,
				map[string]any{"ready": "False", "failed": true,
					"message": "The certificate request has failed to complete and will be retried"}))
			c.Put(certificateRequest(t, "Ready", "False", "Failed",
				"Error making API request. Code: 403. Errors: * permission denied * invalid token"))
		}, "tries again at 2026-01-01T02:00:00Z (the Vault token is expired or invalid)"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec, root, heal := certificateCluster(t)
			fault.spoil(t, c, root)
			gate := start(t, c, spec)
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			heal()
			gate.opens()
		})
	}
}

func TestCertificateGateIsStuckOnDeniedRequest(t *testing.T) {
	t.Parallel()
	c, spec, _, _ := certificateCluster(t)
	c.Put(certificateObject(t, map[string]any{"ready": "False", "failed": true,
		"message": "denied"}))
	c.Put(certificateRequest(t, "Denied", "True", "policy", "no policy approves this"))
	assert.Contains(t, start(t, c, spec).sticks(lag).Report(), "no policy approves this")
}
