package gates_test

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/webhook"
	"strata/tests/gates/fakeapi"
)

const (
	pools   = "metallb.io/v1beta1"
	metallb = "metallb-system"
	ca      = "the CA"
)

// webhookSpec returns the gate of MetalLB's webhook with the settings of components.MetalLB.
func webhookSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: webhook.Spec{
		Configuration: "metallb-webhook-configuration", Namespace: metallb,
		Service: "metallb-webhook-service", Port: 443,
		CASecret: "metallb-webhook-cert", Accept: poolNamed("accept", "192.0.2.1-192.0.2.1"),
		Deny:      poolNamed("deny", "not-an-address"),
		DenyMatch: "ipaddresspoolvalidationwebhook.metallb.io",
	}}
}

func poolNamed(name, addresses string) map[string]any {
	return map[string]any{
		"apiVersion": pools, "kind": "IPAddressPool",
		"metadata": map[string]any{"name": name, "namespace": metallb},
		"spec":     map[string]any{"addresses": []any{addresses}},
	}
}

const configurationText = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: metallb-webhook-configuration}
webhooks:
  - name: ipaddresspoolvalidationwebhook.metallb.io
    failurePolicy: Fail
    clientConfig:
      caBundle: "{{.bundle}}"
      service: {namespace: metallb-system, name: metallb-webhook-service, path: /validate-metallb-io-v1beta1-ipaddresspool}
    rules: [{apiGroups: [metallb.io], apiVersions: [v1beta1], operations: [CREATE, UPDATE], resources: [ipaddresspools]}]
`

const endpointsText = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: metallb-webhook-service-x, namespace: metallb-system, labels: {kubernetes.io/service-name: metallb-webhook-service}}
addressType: IPv4
endpoints: [{addresses: [10.42.1.5], conditions: {ready: {{.ready}}}}]
`

func configuration(t testing.TB, ca string) string {
	return object(t, configurationText, map[string]any{
		"bundle": base64.StdEncoding.EncodeToString([]byte(ca))})
}

func endpoints(t testing.TB, ready bool) string {
	return object(t, endpointsText, map[string]any{"ready": ready})
}

func webhookSecret(ca string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: metallb-webhook-cert, "+
		"namespace: metallb-system}\ndata: {ca.crt: %s}\n",
		base64.StdEncoding.EncodeToString([]byte(ca)))
}

// serving admits an object like MetalLB's webhook.
func serving(object map[string]any) *fakeapi.Refusal {
	if name := object["metadata"].(map[string]any)["name"]; name == "deny" {
		return &fakeapi.Refusal{Code: 403, Reason: "Forbidden",
			Message: `admission webhook "ipaddresspoolvalidationwebhook.metallb.io" denied the request: invalid CIDR "not-an-address"`}
	}
	return nil
}

// failing returns the admission of an API server that cannot call the webhook for the reason why.
func failing(why string) func(map[string]any) *fakeapi.Refusal {
	return func(map[string]any) *fakeapi.Refusal {
		return &fakeapi.Refusal{Code: 500, Reason: "InternalError",
			Message: `Internal error occurred: failed calling webhook "ipaddresspoolvalidationwebhook.metallb.io": failed to call webhook: ` + why}
	}
}

// These are errors of an API server at the steps of MetalLB's start.
const (
	post        = `Post "https://metallb-webhook-service.metallb-system.svc:443/validate-metallb-io-v1beta1-ipaddresspool?timeout=10s": `
	noEndpoints = post + `no endpoints available for service "metallb-webhook-service"`
	refusedCall = post + `dial tcp 10.43.7.7:443: connect: connection refused`
	untrusted   = post +
		`tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error")`
	wrongName = post +
		`tls: failed to verify certificate: x509: certificate is valid for a.metallb-system.svc, not metallb-webhook-service.metallb-system.svc`
	blackhole = post + `dial tcp 10.43.7.7:443: i/o timeout`
)

// webhookCluster returns a cluster in which every API server reaches MetalLB's webhook.
func webhookCluster(t testing.TB, servers int) *fakeapi.Cluster {
	t.Helper()
	c := fakeapi.New(t, servers)
	c.Serve(pools, "IPAddressPool", fakeapi.Resource{Plural: "ipaddresspools", Namespaced: true})
	heal(t, c)
	return c
}

func heal(t testing.TB, c *fakeapi.Cluster) {
	t.Helper()
	c.Put(webhookSecret(ca))
	c.Put(configuration(t, ca))
	c.Put(endpoints(t, true))
	for _, server := range c.Servers {
		server.Script(fakeapi.Script{Admit: serving})
	}
}

func TestWebhookGateOpensWhenAllAPIServersReachWebhook(t *testing.T) {
	t.Parallel()
	c := webhookCluster(t, 3)
	result := start(t, c, webhookSpec(c)).opens()
	assert.Equal(t, health.Ready, result.State)
	require.GreaterOrEqual(t, len(result.Checks), 5)
}

func TestWebhookGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	script := func(server int, s fakeapi.Script) func(*fakeapi.Cluster) {
		return func(c *fakeapi.Cluster) { c.Servers[server].Script(s) }
	}
	accepting := func(map[string]any) *fakeapi.Refusal { return nil }
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"the configuration is missing and everything is accepted", func(c *fakeapi.Cluster) {
			c.Delete("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", "",
				"metallb-webhook-configuration")
			c.Servers[0].Script(fakeapi.Script{Admit: accepting})
			c.Servers[1].Script(fakeapi.Script{Admit: accepting})
		}, "does not exist: the API server would call no webhook"},
		{"one API server has not noticed the configuration",
			script(1, fakeapi.Script{Admit: accepting}), "must refuse was accepted"},
		{"the caBundle is empty", func(c *fakeapi.Cluster) { c.Put(configuration(t, "")) },
			"no caBundle yet"},
		{"the caBundle is of another CA",
			func(c *fakeapi.Cluster) { c.Put(configuration(t, "another CA")) },
			"caBundle is not ca.crt"},
		{"the Secret is still empty", func(c *fakeapi.Cluster) { c.Put(webhookSecret("")) },
			"has no ca.crt yet"},
		{"the webhook object without endpoints", func(c *fakeapi.Cluster) {
			c.Delete("discovery.k8s.io/v1", "endpointslices", metallb, "metallb-webhook-service-x")
		}, "no ready address, 0 not ready"},
		{"endpoints that are not ready", func(c *fakeapi.Cluster) {
			c.Put(endpoints(t, false))
		}, "no ready address, 1 not ready"},
		{"endpoint not listening", script(1, fakeapi.Script{Admit: failing(refusedCall)}),
			"does not listen yet"},
		{"serving on one API server only", script(1, fakeapi.Script{Admit: failing(noEndpoints)}),
			"has no ready Pod"},
		{"a CA that the API server does not trust",
			script(0, fakeapi.Script{Admit: failing(untrusted)}),
			"does not trust the webhook's certificate"},
		{"a certificate for another name", script(0, fakeapi.Script{Admit: failing(wrongName)}),
			"certificate is for other names"},
		{"a network fault on one API server", script(1, fakeapi.Script{Admit: failing(blackhole)}),
			"no answer from the webhook in time"},
		{"one API server does not serve the CRD yet",
			script(1, fakeapi.Script{Admit: serving, Unknown: []string{pools}}),
			"does not serve the object's kind"},
		{"one API server is starting", script(1, fakeapi.Script{Unavailable: true}),
			"cannot be asked"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := webhookCluster(t, 2)
			fault.spoil(c)
			gate := start(t, c, webhookSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			heal(t, c)
			gate.opens()
		})
	}
}

// MetalLB's webhook starts in this order (metallb internal/k8s): its certificate is created,
// mounted and injected, and then it listens.
func TestWebhookGateReportsEachStageOfMetalLBStartup(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 2)
	all := func(admit func(map[string]any) *fakeapi.Refusal) {
		for _, server := range c.Servers {
			server.Script(fakeapi.Script{Admit: admit})
		}
	}
	gate := start(t, c, webhookSpec(c))
	gate.says("does not exist: the API server would call no webhook")
	c.Serve(pools, "IPAddressPool", fakeapi.Resource{Plural: "ipaddresspools", Namespaced: true})
	all(failing(noEndpoints))
	c.Put(configuration(t, ""))
	c.Put(webhookSecret(""))
	gate.says("has no ca.crt yet")
	c.Put(webhookSecret(ca))
	gate.says("no caBundle yet")
	c.Put(endpoints(t, true))
	all(failing(refusedCall))
	c.Put(configuration(t, ca))
	gate.says("does not listen yet")
	all(failing(untrusted))
	gate.says("does not trust the webhook's certificate")
	c.Servers[0].Script(fakeapi.Script{Admit: serving})
	gate.stays(500 * time.Millisecond)
	c.Servers[1].Script(fakeapi.Script{Admit: serving})
	gate.opens()
}

func TestWebhookGateIsStuckWhenPolicyRefuses(t *testing.T) {
	t.Parallel()
	c := webhookCluster(t, 1)
	c.Servers[0].Script(fakeapi.Script{Admit: func(map[string]any) *fakeapi.Refusal {
		return &fakeapi.Refusal{Code: 403, Reason: "Forbidden",
			Message: `admission webhook "policy.example.org" denied the request: pools are not welcome`}
	}})
	gate := start(t, c, webhookSpec(c))
	gate.says("another webhook, policy.example.org")
	result := gate.sticks(10 * time.Second)
	assert.Contains(t, result.Report(), "pools are not welcome")
}

func TestWebhookGateWaitsWhileWebhookCachesFill(t *testing.T) {
	t.Parallel()
	c := webhookCluster(t, 1)
	c.Servers[0].Script(fakeapi.Script{Admit: func(map[string]any) *fakeapi.Refusal {
		return &fakeapi.Refusal{Code: 403, Reason: "Forbidden",
			Message: `admission webhook "ipaddresspoolvalidationwebhook.metallb.io" denied the request: the cache is not started, can not read objects`}
	}})
	gate := start(t, c, webhookSpec(c))
	gate.stays(2 * time.Second)
	heal(t, c)
	gate.opens()
}

func TestWebhookGateCountsExistingPoolAsAccepted(t *testing.T) {
	t.Parallel()
	c := webhookCluster(t, 1)
	c.Servers[0].Script(fakeapi.Script{Admit: func(object map[string]any) *fakeapi.Refusal {
		if refusal := serving(object); refusal != nil {
			return refusal
		}
		return &fakeapi.Refusal{Code: 409, Reason: "AlreadyExists",
			Message: `ipaddresspools.metallb.io "accept" already exists`}
	}})
	start(t, c, webhookSpec(c)).opens()
}
