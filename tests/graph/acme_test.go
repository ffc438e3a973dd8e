package graph_test

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"strata/config"
	"strata/tests/pulumitest"
)

// acmeRoot is a root certificate in PEM. The program does not parse the encoded certificate.
const acmeRoot = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"

// acmeWith returns a section certManager with an ACME server. Its external account and its DNS
// provider have a secret each.
func acmeWith(solver, secret string) config.CertManager {
	given := config.ACMEIssuer{
		Server: "https://acme.example.org/directory", Email: "platform@example.org",
		CACertificate: acmeRoot,
		ExternalAccount: config.ACMEExternalAccount{KeyID: "kid-1",
			Key: base64.RawURLEncoding.EncodeToString([]byte(secret))}, Solver: solver,
	}
	if solver == config.SolverDNS01 {
		given.DNS01 = config.DNS01Solver{
			"cloudflare": map[string]any{"apiTokenSecretRef": map[string]any{"name": "dns-token",
				"key": "token"}}}
		given.Secrets = []config.ACMESecret{{Name: "dns-token", Key: "token", Value: secret},
			{Name: "dns-token", Key: "account", Value: secret}}
	}
	return config.CertManager{Issuer: config.IssuerACME, ACME: given}
}

// signedByACME returns stack staging with an ACME server and with a workload that has a certificate
// and a route.
func signedByACME(t *testing.T, section config.CertManager) *program {
	t.Helper()
	p := newProgram(t, "staging")
	t.Setenv(pulumi.EnvConfigSecretKeys, `["strata:certManager"]`)
	p.set(t, "certManager", section)
	p.set(t, "ingress", map[string]any{"domain": "platform.example.org"})
	p.set(t, "apps", map[string]any{"workloads": []any{map[string]any{
		"name": "shop", "image": "docker.io/acme/shop:1.2.3",
		"certificate": map[string]any{"dnsNames": []string{"shop.example.org"}},
		"routes":      []any{map[string]any{}},
	}}})
	return p
}

func TestGraphRulesHoldWithACMEIssuer(t *testing.T) {
	private := acmeWith(config.SolverHTTP01, "hunter2hunter2")
	private.ACME.Root = acmeRoot
	for name, section := range map[string]config.CertManager{
		"acme_http01": acmeWith(config.SolverHTTP01, "hunter2hunter2"),
		"acme_dns01":  acmeWith(config.SolverDNS01, "hunter2hunter2"), "acme_private_root": private,
	} {
		t.Run(name, func(t *testing.T) {
			p := signedByACME(t, section)
			g := p.graph(t)
			for _, rule := range rules {
				if rule.name != "each resource waits for the gates of its layer" { // only for committed stacks
					assert.Empty(t, rule.check(p, g), rule.name)
				}
			}
			assert.NotContains(t, g, "ca-root")
			for _, certificate := range []string{"traefik-tls-request", "workload-shop-tls-request"} {
				assert.True(t, g.reaches(certificate, "acme-ca-gate"), certificate)
				assert.Empty(t, annotation(g[certificate], "pulumi.com/deletionPropagationPolicy"),
					"only cert-manager takes the finalizer off a Challenge")
			}
			only := g.clone()
			for name := range only {
				if !strings.HasPrefix(name, "acme-") && !strings.HasPrefix(name, "traefik-tls") {
					delete(only, name)
				}
			}
			golden(t, filepath.Join(root, "tests/graph/testdata/issuer_"+name+".golden"),
				only.text())
		})
	}
}

// The ingress must answer on port 80 before the certificate exists. So the certificate waits for
// the ingress, which must not wait for the certificate.
func TestHTTP01CertificateWaitsForIngressWithoutCycle(t *testing.T) {
	byHTTP := signedByACME(t, acmeWith(config.SolverHTTP01, "a")).graph(t)
	byDNS := signedByACME(t, acmeWith(config.SolverDNS01, "a")).graph(t)
	for _, certificate := range []string{"traefik-tls-request", "workload-shop-tls-request"} {
		assert.True(t, byHTTP.reaches(certificate, "traefik-address"), certificate)
		assert.False(t, byDNS.reaches(certificate, "traefik-release"), certificate)
	}
	for _, needed := range []string{"traefik-release", "traefik-rollout", "traefik-address", "acme-ca-issuer"} {
		assert.False(t, byHTTP.reaches(needed, "traefik-tls-request"), needed)
	}
	assert.True(t, byHTTP.reaches("traefik-gateway", "traefik-tls-gate"))
	assert.Contains(t, byHTTP["traefik-release"].Inputs["values"].String(), "allowACMEByPass")
	assert.NotContains(t, byDNS["traefik-release"].Inputs["values"].String(), "allowACMEByPass")
	assert.Equal(t,
		[]string{"argocd.platform.example.org", "shop.platform.example.org",
			"traefik.platform.example.org"},
		dnsNames(byHTTP))
	assert.Equal(t, []string{"platform.example.org", "*.platform.example.org"}, dnsNames(byDNS))
}

// dnsNames returns the names of Traefik's certificate.
func dnsNames(g graph) (names []string) {
	spec := g["traefik-tls-request"].Inputs["spec"]
	for _, name := range spec.ObjectValue()["dnsNames"].ArrayValue() {
		names = append(names, name.StringValue())
	}
	return names
}

// cert-manager does not reissue certificates if only the server of their issuer changes. So a
// command of the program reissues them, once the account exists, and the gates of the reissued
// certificates run again. With two public CAs, nothing else in the inputs differs.
func TestChangedACMEServerReissuesEveryCertificate(t *testing.T) {
	section := acmeWith(config.SolverHTTP01, "a")
	before := signedByACME(t, section).graph(t)
	section.ACME.Server = "https://acme-production.example.org/directory"
	after := signedByACME(t, section).graph(t)
	assert.Contains(t, after["acme-ca-reissue"].Text("stdin"), section.ACME.Server)
	assert.True(t, after.reaches("acme-ca-reissue", "acme-ca-gate"),
		"until then the server before would be asked")
	for _, certificate := range []string{"traefik-tls", "workload-shop-tls"} {
		assert.True(t, after.reaches(certificate+"-request", "acme-ca-reissue"), certificate)
		assert.Equal(t, before[certificate+"-request"].Inputs, after[certificate+"-request"].Inputs,
			"which is why")
		assert.NotEqual(t, before[certificate+"-gate"].Inputs, after[certificate+"-gate"].Inputs,
			certificate)
	}
}

// If the CA is not public, the gates must trust its root: for certificates, because their Secrets
// lack it, and for URLs.
func TestGatesTrustPrivateACMERoot(t *testing.T) {
	const trust = `"caSecret":"cert-manager/strata-acme-root"`
	gates := []string{"traefik-tls-gate", "workload-shop-tls-gate", "traefik-dashboard",
		"argocd-server"}
	section := acmeWith(config.SolverHTTP01, "a")
	g := signedByACME(t, section).graph(t)
	for _, gate := range gates {
		assert.NotContains(t, g[gate].Text("stdin"), "caSecret",
			"%s: a public CA is this machine's to know", gate)
	}
	assert.NotContains(t, g, "acme-ca-root")
	section.ACME.Root = acmeRoot
	g = signedByACME(t, section).graph(t)
	for _, gate := range gates {
		assert.Contains(t, g[gate].Text("stdin"), trust, gate)
	}
	assert.Contains(t, g, "acme-ca-root")
}

// Some solvers have a secret in their configuration, so users may encrypt the configuration.
func TestACMESolverConfigurationIsSecret(t *testing.T) {
	section := acmeWith(config.SolverDNS01, "a")
	section.ACME.DNS01 = config.DNS01Solver{
		"webhook": map[string]any{"config": map[string]any{"tokens": []any{"hunter2-inline"},
			"secret": "dns-token"}}}
	g := signedByACME(t, section).graph(t)
	assert.True(t, pulumitest.Contains(resource.NewProperty(g["acme-ca-issuer"].Inputs),
		"hunter2-inline"))
	for name, one := range g {
		assert.Empty(t, pulumitest.FindPlain(name, resource.NewProperty(one.Inputs),
			"hunter2-inline"))
	}
}

func TestChangedACMESecretLeavesPlainInputsUnchanged(t *testing.T) {
	p := signedByACME(t, acmeWith(config.SolverDNS01, "first-secret"))
	before := p.graph(t)
	p.set(t, "certManager", acmeWith(config.SolverDNS01, "second-secret"))
	after := p.graph(t)
	var changed []string
	for _, name := range before.names() {
		assert.Equal(t, visible(resource.NewProperty(before[name].Inputs)),
			visible(resource.NewProperty(after[name].Inputs)),
			"%s shows something that follows from a secret", name)
		if pulumitest.Contains(resource.NewProperty(after[name].Inputs), "second-secret") ||
			pulumitest.Contains(resource.NewProperty(after[name].Inputs), "c2Vjb25kLXNlY3JldA") {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	assert.Equal(t, []string{"acme-ca-secret-dns-token", "acme-ca-secret-strata-acme-eab"}, changed,
		"who gets the secrets")
}

// CAs show the key of an external account with base64 padding. cert-manager reads base64url without
// padding (pkg/issuer/acme/setup.go getEABKey).
func TestACMEExternalAccountKeyHasNoPadding(t *testing.T) {
	section := acmeWith(config.SolverHTTP01, "hunter2")
	p := signedByACME(t, section)
	bare := p.graph(t)
	section.ACME.ExternalAccount.Key += "=="
	p.set(t, "certManager", section)
	padded := p.graph(t)
	assert.True(t,
		pulumitest.Contains(resource.NewProperty(bare["acme-ca-secret-strata-acme-eab"].Inputs),
			"aHVudGVyMg"))
	for _, name := range bare.names() {
		assert.Equal(t, bare[name].Inputs, padded[name].Inputs, name)
	}
}
