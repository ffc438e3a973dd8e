package gates_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"strata/health"
	"strata/health/webhook"
	"strata/tests/gates/fakeapi"
)

const certManager = "cert-manager.io/v1"

const certManagerText = `
apiVersion: v1
kind: Secret
metadata: {name: cert-manager-webhook-ca, namespace: cert-manager}
data: {ca.crt: {{.ca}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: cert-manager-webhook}
webhooks:
  - name: webhook.cert-manager.io
    failurePolicy: Fail
    clientConfig: {caBundle: "{{.ca}}", service: {namespace: cert-manager, name: cert-manager-webhook, path: /validate}}
    rules: [{apiGroups: [cert-manager.io, acme.cert-manager.io], apiVersions: [v1], operations: [CREATE, UPDATE], resources: ["*/*"]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: cert-manager-webhook}
webhooks:
  - name: webhook.cert-manager.io
    failurePolicy: Fail
    clientConfig: {caBundle: "{{.ca}}", service: {namespace: cert-manager, name: cert-manager-webhook, path: /mutate}}
    rules: [{apiGroups: [cert-manager.io], apiVersions: [v1], operations: [CREATE], resources: [certificaterequests]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cert-manager-webhook-x, namespace: cert-manager, labels: {kubernetes.io/service-name: cert-manager-webhook}}
addressType: IPv4
endpoints: [{addresses: [10.42.1.6], conditions: {ready: true}}]
`

func request(csr string) map[string]any {
	return map[string]any{
		"apiVersion": certManager, "kind": "CertificateRequest",
		"metadata": map[string]any{"generateName": "strata-", "namespace": "cert-manager"},
		"spec":     map[string]any{"request": csr, "issuerRef": map[string]any{"name": "strata"}},
	}
}

func certManagerSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: webhook.Spec{
		Configuration: "cert-manager-webhook", Mutates: "cert-manager-webhook",
		Namespace: "cert-manager", Service: "cert-manager-webhook", Port: 443,
		CASecret: "cert-manager-webhook-ca", Accept: request("valid"),
		AcceptFills: []string{"spec.username", "spec.uid"},
		Deny:        request("invalid"), DenyMatch: "webhook.cert-manager.io",
	}}
}

// checking returns an admission like that of cert-manager's webhooks. mutates and validates select
// the webhooks that the API server calls.
func checking(mutates, validates bool) func(map[string]any) *fakeapi.Refusal {
	denied := func(why string) *fakeapi.Refusal {
		return &fakeapi.Refusal{Code: 403, Reason: "Forbidden",
			Message: `admission webhook "webhook.cert-manager.io" denied the request: ` + why}
	}
	return func(object map[string]any) *fakeapi.Refusal {
		spec := object["spec"].(map[string]any)
		if mutates {
			spec["username"], spec["uid"] = "system:admin", "uid"
		}
		switch {
		case validates && spec["username"] == nil:
			return denied("[spec.username: Forbidden: username identity must be that of the requester]")
		case validates && spec["request"] == "invalid":
			return denied("spec.request: Invalid value: error decoding certificate request PEM block")
		}
		return nil
	}
}

func healCertManager(t testing.TB, c *fakeapi.Cluster) {
	t.Helper()
	c.Serve(certManager, "CertificateRequest",
		fakeapi.Resource{Plural: "certificaterequests", Namespaced: true})
	c.PutAll(object(t, certManagerText, map[string]any{
		"ca": base64.StdEncoding.EncodeToString([]byte("the CA"))}))
	for _, server := range c.Servers {
		server.Script(fakeapi.Script{Admit: checking(true, true)})
	}
}

// The faults are states between cert-manager's installation and its first certificate (cert-manager
// pkg/util/cmapichecker).
func TestCertManagerGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	call := func(why string) func(map[string]any) *fakeapi.Refusal {
		return func(map[string]any) *fakeapi.Refusal {
			return &fakeapi.Refusal{Code: 500, Reason: "InternalError",
				Message: `Internal error occurred: failed calling webhook "webhook.cert-manager.io": ` +
					`failed to call webhook: Post "https://cert-manager-webhook.cert-manager.svc:443/mutate?timeout=30s": ` + why}
		}
	}
	script := func(admit func(map[string]any) *fakeapi.Refusal) func(*fakeapi.Cluster) {
		return func(c *fakeapi.Cluster) { c.Servers[1].Script(fakeapi.Script{Admit: admit}) }
	}
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"no webhook is called", script(checking(false, false)),
			"accepted but not mutated: spec.username, spec.uid empty"},
		{"only the mutating half is asked", script(checking(true, false)),
			"must refuse was accepted"},
		{"only the validating half is asked", script(checking(false, true)),
			"does not ask the mutating webhook"},
		{"no mutating configuration", func(c *fakeapi.Cluster) {
			c.Delete("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", "",
				"cert-manager-webhook")
		}, "mutating webhook configuration cert-manager-webhook: does not exist"},
		{"cainjector has reached one configuration only", func(c *fakeapi.Cluster) {
			parts := strings.Split(certManagerText, "\n---\n")
			c.Put(object(t, parts[2], map[string]any{"ca": ""}))
		}, "mutating webhook configuration cert-manager-webhook: no caBundle yet"},
		{"the CRDs are not served", func(c *fakeapi.Cluster) {
			c.Servers[1].Script(fakeapi.Script{Admit: checking(true, true),
				Unknown: []string{certManager}})
		}, "the CRD is not established"},
		{"the Service is missing", script(call(`service "cert-manager-webhook" not found`)),
			"its Service is not created yet"},
		{"the Deployment is starting",
			script(call("dial tcp 10.96.38.90:443: connect: connection refused")),
			"its Deployment runs, but it listens only"},
		{"the CA is not injected", script(call("x509: certificate signed by unknown authority")),
			"CA is not injected yet"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			healCertManager(t, c)
			fault.spoil(c)
			gate := start(t, c, certManagerSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			healCertManager(t, c)
			gate.opens()
		})
	}
}
