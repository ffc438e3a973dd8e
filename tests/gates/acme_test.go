package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/certificate"
	"strata/health/healthtest"
	"strata/tests/gates/fakeapi"
)

const acme = "acme.cert-manager.io/v1"

const orderText = `
apiVersion: acme.cert-manager.io/v1
kind: Order
metadata:
  name: web-1-1
  namespace: apps
  uid: uid-order
  ownerReferences: [{apiVersion: cert-manager.io/v1, kind: CertificateRequest, name: web-1, uid: {{.request}}, controller: true}]
status: {state: {{.order}}, reason: '{{.why}}'}
---
apiVersion: acme.cert-manager.io/v1
kind: Challenge
metadata:
  name: web-1-1-1
  namespace: apps
  ownerReferences: [{apiVersion: acme.cert-manager.io/v1, kind: Order, name: web-1-1, uid: uid-order, controller: true}]
spec: {dnsName: web.example.org, type: HTTP-01}
status: {state: {{.challenge}}, reason: '{{.reason}}'}
`

// acmeCluster returns a cluster with a Certificate whose Order has the given values, and the gate
// of the Certificate. heal restores the Certificate.
func acmeCluster(t testing.TB, values map[string]any) (c *fakeapi.Cluster, spec health.Spec,
	heal func()) {
	t.Helper()
	c, spec, _, heal = certificateCluster(t)
	c.Serve(acme, "Order", fakeapi.Resource{Plural: "orders", Namespaced: true})
	c.Serve(acme, "Challenge", fakeapi.Resource{Plural: "challenges", Namespaced: true})
	all := map[string]any{"request": "uid-request", "order": "pending", "why": "",
		"challenge": "pending", "reason": ""}
	for key, value := range values {
		all[key] = value
	}
	c.PutAll(object(t, orderText, all))
	c.Put(certificateRequest(t, "Ready", "False", "Pending",
		"Waiting on certificate issuance from order apps/web-1-1"))
	return c, spec, heal
}

func TestCertificateGateNamesStageOfOrder(t *testing.T) {
	t.Parallel()
	issuing := map[string]any{"ready": "False", "issuing": "True",
		"message": "Issuing certificate as Secret does not exist"}
	failed := map[string]any{"ready": "False", "failed": true,
		"message": "The certificate request has failed to complete and will be retried"}
	for _, fault := range []struct {
		name                string
		certificate, values map[string]any
		says                string
	}{
		{"the self check does not pass", issuing,
			map[string]any{"reason": "Waiting for HTTP-01 challenge propagation: wrong status code"},
			"not ready: HTTP-01 challenge for web.example.org is pending: Waiting for HTTP-01 " +
				"challenge propagation: wrong status code"},
		{"the server did not accept a challenge", failed,
			map[string]any{"order": "invalid", "challenge": "invalid",
				"reason": "403 urn:ietf:params:acme:error:dns: NXDOMAIN"},
			"issuance failed: HTTP-01 challenge for web.example.org is invalid: 403 " +
				"urn:ietf:params:acme:error:dns: NXDOMAIN; cert-manager tries again at " +
				"2026-01-01T02:00:00Z (the ACME server does not find"},
		{"the rate limit", failed,
			map[string]any{"order": "errored",
				"why":       "Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: too many",
				"challenge": "valid"},
			"issuance failed: ACME order web-1-1 is errored: Failed to create Order: 429 " +
				"urn:ietf:params:acme:error:rateLimited: too many; cert-manager tries again at"},
		{"the Order of another request", issuing,
			map[string]any{"request": "uid-other", "order": "errored"},
			"not ready: Waiting on certificate issuance from order apps/web-1-1"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec, heal := acmeCluster(t, fault.values)
			c.Put(certificateObject(t, fault.certificate))
			gate := start(t, c, spec)
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			heal()
			gate.opens()
		})
	}
}

// A certificate that expires soon is still Ready. The cause of a failed renewal is in the newest
// CertificateRequest and its Order.
func TestCertificateGateNamesObstacleToRenewal(t *testing.T) {
	t.Parallel()
	c, spec, _ := acmeCluster(t, map[string]any{"order": "errored",
		"why": "429 urn:ietf:params:acme:error:rateLimited: too many"})
	healthtest.Change(&spec, func(s *certificate.Spec) {
		s.MinRemaining = metav1.Duration{Duration: 90 * time.Minute}
	})
	c.Put(certificateObject(t, map[string]any{"failed": true,
		"message": "The certificate request has failed"}))
	gate := start(t, c, spec)
	gate.says("its renewal: issuance failed: ACME order web-1-1 is errored")
	gate.says("the ACME server's rate limit is reached")
	gate.stays(300 * time.Millisecond)
}

// ACME issuers omit ca.crt, so the gate reads the CA from another Secret. A chain to any other CA
// must keep the gate closed.
func TestCertificateGateReadsCAFromOtherSecret(t *testing.T) {
	t.Parallel()
	c, spec, root, _ := certificateCluster(t)
	web := sign(t, "web.example.org", root)
	c.Put(tlsSecret("apps", "web-tls", web.crt, web.pem, nil))
	healthtest.Change(&spec, func(s *certificate.Spec) {
		s.CASecret = "cert-manager/strata-acme-root"
	})
	gate := start(t, c, spec)
	gate.says("does not lead to ca.crt of Secret cert-manager/strata-acme-root")
	c.Put(tlsSecret("cert-manager", "strata-acme-root", web.crt, web.pem, sign(t, "root", nil).crt))
	gate.stays(1500 * time.Millisecond)
	c.Put(tlsSecret("cert-manager", "strata-acme-root", web.crt, web.pem, root.crt))
	gate.opens()
}

// A refusal must last for a while before the gate is stuck, because cert-manager may retry with
// another key.
func TestIssuerGateIsStuckOnRefusedACMEAccount(t *testing.T) {
	t.Parallel()
	c, spec := issuerCluster(t)
	c.Put(issuerObject(t, map[string]any{"status": "False",
		"message": "Failed to register ACME account: 403 urn:ietf:params:acme:error:externalAccountRequired: no"}))
	gate := start(t, c, spec)
	gate.says("the ACME server wants an external account")
	gate.stays(5 * time.Second)
	assert.Contains(t, gate.sticks(10*time.Second+lag).Report(), "set certManager.acme.eab")
}
