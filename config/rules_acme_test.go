package config_test

import "maps"

// acme returns a good configuration with an ACME server. keys are additional keys of
// certManager.acme, as `,"key":value`.
func acme(keys string) map[string]string {
	return both("certManager", `{"issuer":"acme","acme":{"server":"https://acme.example.org/directory"`+keys+`}}`, "ingress", `{"domain":"platform.example.org"}`)
}

// cloudflare configures DNS-01, as keys for acme.
const cloudflare = `,"solver":"dns01","dns01":{"cloudflare":{"apiTokenSecretRef":{"name":"dns-token","key":"token"}}}`

// and returns the configuration with a section added or replaced.
func and(raw map[string]string, section, text string) map[string]string {
	raw = maps.Clone(raw)
	raw[section] = text
	return raw
}

// acmeRules are cases for issuer acme.
var acmeRules = []rule{
	{"an ACME server beside issuer selfSigned",
		one("certManager", `{"acme":{"server":"https://acme.example.org/directory"}}`),
		"strata:certManager.acme: is set, and certManager.issuer is selfSigned; set " +
			"certManager.issuer: acme, or remove certManager.acme"},
	{"no ACME server", both("certManager", `{"issuer":"acme"}`, "ingress",
		`{"domain":"platform.example.org"}`),
		"strata:certManager.acme.server: is empty, and certManager.issuer is acme; write the URL " +
			"of the directory; try https://acme-staging-v02.api.letsencrypt.org/directory before " +
			"https://acme-v02.api.letsencrypt.org/directory, which has rate limits"},
	{"an ACME server without TLS", both("certManager",
		`{"issuer":"acme","acme":{"server":"http://acme.example.org"}}`, "ingress",
		`{"domain":"platform.example.org"}`),
		"strata:certManager.acme.server: is not an https URL without user; write it as " +
			"https://acme.example.org/directory"},
	{"an ACME server with a password", both("certManager",
		`{"issuer":"acme","acme":{"server":"https://me:hunter2@acme.example.org"}}`, "ingress",
		`{"domain":"platform.example.org"}`),
		"strata:certManager.acme.server: is not an https URL without user; write it as " +
			"https://acme.example.org/directory"},
	{"staging, whose certificates no client trusts",
		both("certManager", `{"issuer":"acme","acme":{"server":"https://acme-staging-v02.api.letsencrypt.org/directory"}}`, "ingress", `{"domain":"platform.example.org"}`),
		"strata:certManager.acme.root: is empty, and no client trusts what the staging server " +
			"issues; paste the root from https://letsencrypt.org/docs/staging-environment/, for the gates"},
	{"a malformed root", acme(`,"root":"hunter2"`),
		"strata:certManager.acme.root: is not a certificate in PEM; paste the file that begins " +
			"with -----BEGIN CERTIFICATE-----"},
	{"a malformed CA of the server", acme(`,"caCertificate":"hunter2"`),
		"strata:certManager.acme.caCertificate: is not a certificate in PEM; paste the file that " +
			"begins with -----BEGIN CERTIFICATE-----"},
	{"a domain that no public CA signs for",
		and(acme(""), "ingress", `{"domain":"dev.strata.test"}`),
		"strata:ingress.domain: dev.strata.test is a name that no public CA signs for; use a " +
			"domain of your own; with a private ACME server, set certManager.acme.root"},
	{"a domain of one label", and(acme(""), "ingress", `{"domain":"platform"}`),
		"strata:ingress.domain: platform is a name that no public CA signs for; use a domain of " +
			"your own; with a private ACME server, set certManager.acme.root"},
	{"a malformed e-mail address", acme(`,"email":"Platform <platform@example.org>"`),
		"strata:certManager.acme.email: Platform <platform@example.org> is not an address of " +
			"e-mail; write it as platform@example.org, or leave the key out"},
	{"half an external account", acme(`,"eab":{"keyID":"kid-1"}`),
		"strata:certManager.acme.eab: has a keyID or a key, and not both; set the other one as " +
			"well: the CA gives both"},
	{"a malformed key of an external account", acme(`,"eab":{"keyID":"kid-1","key":"hunter 2"}`),
		"strata:certManager.acme.eab.key: is not in base64url; take it as the CA shows it"},
	{"a misspelt solver", acme(`,"solver":"dns-01"`),
		"strata:certManager.acme.solver: dns-01 is neither http01 nor dns01; did you mean dns01?"},
	{"HTTP-01 without an ingress", and(acme(""), "ingress",
		`{"controllers":[],"domain":"platform.example.org"}`),
		"strata:certManager.acme.solver: http01 needs Traefik, and ingress.controllers is empty; " +
			"add traefik to ingress.controllers, or use dns01"},
	{"HTTP-01 for a wildcard", and(acme(""), "ingress",
		`{"controllers":["traefik","apisix"],"domain":"platform.example.org"}`),
		"strata:certManager.acme.solver: http01 gets no wildcard, and APISIX's certificate has " +
			"one; use dns01, or remove apisix from ingress.controllers"},
	{"a DNS solver that is not used", acme(`,"dns01":{"cloudflare":{}}`),
		"strata:certManager.acme.dns01: is set, and certManager.acme.solver is http01; set " +
			"certManager.acme.solver: dns01, or remove it"},
	{"secrets that are not used", acme(`,"secrets":[{"name":"dns-token","key":"token","value":"hunter2"}]`),
		"strata:certManager.acme.secrets: are for dns01, and certManager.acme.solver is http01; " +
			"set certManager.acme.solver: dns01, or remove them"},
	{"DNS-01 without a solver", acme(`,"solver":"dns01"`),
		"strata:certManager.acme.dns01: names 0 solvers, expected one; write one of acmeDNS, " +
			"akamai, azureDNS, cloudDNS, cloudflare, digitalocean, rfc2136, route53, webhook, " +
			"with what it needs below it"},
	{"DNS-01 with two solvers", acme(`,"solver":"dns01","dns01":{"cloudflare":{},"route53":{},"cnameStrategy":"Follow"}`),
		"strata:certManager.acme.dns01: names 2 solvers, expected one; write one of acmeDNS, " +
			"akamai, azureDNS, cloudDNS, cloudflare, digitalocean, rfc2136, route53, webhook, " +
			"with what it needs below it"},
	{"an unknown solver of DNS-01", acme(
		`,"solver":"dns01","dns01":{"rfc2136":{},"cloudflair":{}}`),
		"strata:certManager.acme.dns01.cloudflair: is not a solver of cert-manager; did you mean cloudflare?"},
	{"a malformed Secret name",
		acme(cloudflare + `,"secrets":[{"name":"DNS","key":"token","value":"hunter2"}]`),
		"strata:certManager.acme.secrets[0].name: DNS is not a Secret's name; use lower-case " +
			"letters, digits and dashes, for example dns-token"},
	{"a Secret of Strata's own", acme(`,"solver":"dns01","dns01":{"cloudflare":{"apiTokenSecretRef":{"name":"strata-ca","key":"token"}}},"secrets":[{"name":"strata-ca","key":"token","value":"hunter2"}]`),
		"strata:certManager.acme.secrets[0].name: strata-ca begins as Secrets of Strata's and " +
			"cert-manager's own do; choose another, for example dns-token"},
	{"a Secret that nothing refers to", acme(cloudflare +
		`,"secrets":[{"name":"other","key":"api","value":"hunter2"}]`),
		"strata:certManager.acme.secrets[0].name: other is in no reference of " +
			"certManager.acme.dns01; refer to it, for example apiTokenSecretRef: {name: other, " +
			"key: api}, or remove it"},
	{"a key that a Secret cannot have", acme(
		`,"solver":"dns01","dns01":{"webhook":{"config":{"secrets":["dns-token"]}}},"secrets":[{"name":"dns-token","key":"a token","value":"hunter2"}]`),
		"strata:certManager.acme.secrets[0].key: a token is not a key of a Secret; use letters, " +
			"digits, dashes, dots and underscores, for example token"},
	{"one key twice", acme(cloudflare + `,"secrets":[{"name":"dns-token","key":"token","value":"hunter2"},{"name":"dns-token","key":"token","value":"hunter3"}]`),
		"strata:certManager.acme.secrets[1].key: token is in Secret dns-token already; remove one"},
	{"a Secret without a value", acme(cloudflare +
		`,"secrets":[{"name":"dns-token","key":"token"}]`),
		"strata:certManager.acme.secrets[0].value: is empty; run: pulumi config set --secret " +
			"--path 'strata:certManager.acme.secrets[0].value'"},
	{"a reference to a key that the Secret lacks",
		acme(cloudflare + `,"secrets":[{"name":"dns-token","key":"tokn","value":"hunter2"}]`),
		"strata:certManager.acme.dns01.cloudflare.apiTokenSecretRef.key: token is not a key of " +
			"Secret dns-token; did you mean tokn?"},
	{"a name inside the cluster", and(acme(""), "apps", workloads(`"certificate":{}`)["apps"]),
		"strata:apps.workloads[0].certificate.dnsNames: is empty, and no ACME server signs for " +
			"the Service's names inside the cluster; " +
			"write names below a domain of yours, for example shop.platform.example.org"},
	{"one name inside the cluster", and(acme(""), "apps",
		workloads(`"certificate":{"dnsNames":["shop.example.org","shop.apps.svc"]}`)["apps"]),
		"strata:apps.workloads[0].certificate.dnsNames[1]: shop.apps.svc is a name inside the " +
			"cluster, which no ACME server signs for; remove it"},
	{"a wildcard by HTTP-01", and(acme(""), "apps",
		workloads(`"certificate":{"dnsNames":["*.shop.example.org"]}`)["apps"]),
		"strata:apps.workloads[0].certificate.dnsNames[0]: *.shop.example.org is a wildcard, " +
			"which certManager.acme.solver http01 does not get; write each name, or use solver dns01"},
	{"a lifetime with an ACME server",
		and(acme(""), "apps", workloads(
			`"certificate":{"dnsNames":["shop.example.org"],"lifetime":"24h"}`)["apps"]),
		"strata:apps.workloads[0].certificate.lifetime: 24h0m0s is for the ACME server to say; leave the key out"},
}
