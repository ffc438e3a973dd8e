package config_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestValidACMESettingsAreAccepted(t *testing.T) {
	root, err := json.Marshal(certificate(t))
	require.NoError(t, err)
	for name, change := range map[string]map[string]string{
		"a server": acme(""),
		"every setting of HTTP-01": acme(
			`,"email":"platform@example.org","eab":{"keyID":"kid-1","key":"aHVudGVyMg"},"caCertificate":` + string(root) + `,"root":` + string(root)),
		"a padded key": acme(`,"eab":{"keyID":"kid-1","key":"aHVudGVyMg=="}`),
		"a domain of a private CA": and(acme(`,"root":`+string(root)), "ingress",
			`{"domain":"dev.strata.test"}`),
		"staging with its root": both("certManager",
			`{"issuer":"acme","acme":{"server":"https://acme-staging-v02.api.letsencrypt.org/directory","root":`+string(root)+`}}`, "ingress", `{"domain":"platform.example.org"}`),
		"DNS-01 with its Secret": acme(cloudflare +
			`,"secrets":[{"name":"dns-token","key":"token","value":"hunter2"}]`),
		"DNS-01 with a Secret of the user's own": acme(cloudflare),
		"DNS-01 with two keys of one Secret": acme(
			`,"solver":"dns01","dns01":{"webhook":{"groupName":"dns.example.org","config":{"of":["dns-token"]}},"cnameStrategy":"Follow"},"secrets":[{"name":"dns-token","key":"a","value":"b"},{"name":"dns-token","key":"c","value":"d"}]`),
		"DNS-01 with APISIX": and(acme(cloudflare), "ingress",
			`{"controllers":["traefik","apisix"],"domain":"platform.example.org"}`),
		"a public name in a certificate": and(acme(""), "apps",
			workloads(`"certificate":{"dnsNames":["shop.example.org"]}`)["apps"]),
		"a wildcard by DNS-01": and(acme(cloudflare), "apps",
			workloads(`"certificate":{"dnsNames":["*.shop.example.org"]}`)["apps"]),
		"Vault enabled beside ACME": and(acme(""), "vault", `{"enabled":true}`),
	} {
		t.Run(name, func(t *testing.T) {
			raw := good()
			maps.Copy(raw, change)
			_, err := config.Load("dev", raw, noEnv)
			assert.NoError(t, err)
		})
	}
}

func TestExternalAccountKeyLosesBase64Padding(t *testing.T) {
	for given, want := range map[string]string{"aHVudGVyMg==": "aHVudGVyMg", "aHVudGVyMg": "aHVudGVyMg", "": ""} {
		assert.Equal(t, config.ACMEExternalAccount{KeyID: "kid-1", Key: want},
			config.ACMEExternalAccount{KeyID: "kid-1", Key: given}.TrimPadding())
	}
}

func TestReservedDomainIsRefusedForLetsEncrypt(t *testing.T) {
	raw := good()
	maps.Copy(raw, both("certManager", `{"issuer":"acme","acme":{"server":"https://acme-v02.api.letsencrypt.org/directory","root":`+quoted(t, certificate(t))+`}}`, "ingress", `{"domain":"dev.strata.test"}`))
	_, err := config.Load("dev", raw, noEnv)
	assert.ErrorContains(t, err, "strata:ingress.domain: dev.strata.test is a name that no public CA signs for")
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	encoded, err := json.Marshal(text)
	require.NoError(t, err)
	return string(encoded)
}

func TestACMEErrorsAreReportedTogetherWithoutSecrets(t *testing.T) {
	raw := good()
	raw["certManager"] = `{"issuer":"acme","acme":{"server":"https://me:hunter2@acme.example.org","root":"hunter2","eab":{"keyID":"a","key":"hunter 2"},"solver":"dns01",
		"secrets":[{"name":"dns-token","key":"token","value":"hunter2"}]}}`
	_, err := config.Load("dev", raw, noEnv)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter")
	for _, want := range []string{"acme.server: is not", "acme.root: is not", "acme.eab.key: is not", "acme.dns01: names 0 solvers", "acme.secrets[0].name: dns-token is in no reference"} {
		assert.ErrorContains(t, err, "strata:certManager."+want)
	}
}

func TestTraefikCertificateHasWildcardUnlessHTTP01(t *testing.T) {
	load := func(change map[string]string) *config.Config {
		raw := good()
		maps.Copy(raw, change)
		cfg, err := config.Load("dev", raw, noEnv)
		require.NoError(t, err)
		return cfg
	}
	wild := []string{"platform.example.org", "*.platform.example.org"}
	assert.Equal(t, []string{"dev.strata.test", "*.dev.strata.test"}, load(nil).TraefikNames())
	assert.False(t, load(nil).HTTP01())
	byDNS := load(acme(cloudflare))
	assert.Equal(t, wild, byDNS.TraefikNames())
	assert.False(t, byDNS.HTTP01())
	byHTTP := load(and(acme(""), "apps",
		`{"workloads":[{"name":"shop","image":"a:1","routes":[{},{"path":"/api"},{"host":"a"}]}]}`))
	assert.Equal(t, []string{"a.platform.example.org", "argocd.platform.example.org",
		"shop.platform.example.org", "traefik.platform.example.org"}, byHTTP.TraefikNames())
	assert.True(t, byHTTP.HTTP01())
	bare := load(and(and(acme(""), "traefik", `{"dashboard":false}`), "argocd",
		`{"enabled":false}`))
	assert.Equal(t, []string{"platform.example.org"}, bare.TraefikNames(),
		"a listener has to have a certificate")
}

func TestFromPulumiRefusesUnencryptedACMESecrets(t *testing.T) {
	raw := good()
	maps.Copy(raw, acme(cloudflare+`,"eab":{"keyID":"a","key":"aHVudGVyMg"},"secrets":[{"name":"dns-token","key":"token","value":"hunter2"}]`))
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, `strata:certManager.acme.eab.key: is not encrypted; run: pulumi config set --secret --path 'strata:certManager.acme.eab.key'`)
	require.ErrorContains(t, err, `strata:certManager.acme.secrets[0].value: is not encrypted; run: pulumi config set --secret --path 'strata:certManager.acme.secrets[0].value'`)
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := fromPulumi(t, raw, "strata:certManager")
	require.NoError(t, err)
	assert.Equal(t, "hunter2", cfg.CertManager.ACME.Secrets[0].Value)
}

func TestStackFileWithUnencryptedACMESecretIsRefused(t *testing.T) {
	const rest = "config:\n  strata:hosts: {driver: existing, subnet: 10.10.0.0/24, nodes: " +
		"[{name: a, role: server, address: 10.10.0.11}]}\n" +
		"  strata:metallb: {addresses: [10.10.0.200-10.10.0.210]}\n  strata:ingress: {domain: platform.example.org}\n" +
		"  strata:certManager: {issuer: acme, acme: {server: 'https://acme.example.org/dir', eab: {keyID: a, key: "
	_, err := config.OfText("dev", "Pulumi.dev.yaml", []byte(rest+"aHVudGVyMg}}}\n"))
	require.ErrorContains(t, err, "strata:certManager.acme.eab.key: is not encrypted")
	cfg, err := config.OfText("dev", "Pulumi.dev.yaml", []byte(rest+"{secure: v1:abc}}}}\n"))
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.CertManager.ACME.ExternalAccount.Key)
}
