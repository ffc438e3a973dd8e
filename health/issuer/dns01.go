package issuer

import "regexp"

const (
	// unreachable matches Go's errors for a server that does not answer, or whose name is unknown.
	unreachable = `no such host|connection refused|connection reset|i/o timeout|deadline exceeded|Client\.Timeout|TLS handshake timeout|no route to host|network is unreachable`
	// calling matches the text before the error of a call to a DNS provider. The error in a pending
	// Challenge of DNS-01 is its solver's, because after an error of the ACME server the Challenge
	// is not pending (pkg/controller/acmechallenges handleError).
	calling = `(Cloudflare API for|GoogleCloud API call failed|Route 53|DNS update failed|DNS-01 challenge for \S+ is (pending|being deleted)).*`
	// ownWords is the hint with the command that shows the provider's answer, which cert-manager
	// omits from the Challenge (stabilizeSolverErrorMessage).
	ownWords = "kubectl get events -A --field-selector involvedObject.kind=Challenge has its words"
	// compareSolver is the hint for a solver whose provider refuses its input.
	compareSolver = "compare certManager.acme.dns01 and the Secrets that it names with what the provider gave you"
)

// dns01 returns a cause that is not final: cert-manager retries a solver until the Order ends, so a
// fix of the provider, the DNS or a Secret is enough.
func dns01(pattern, cause, hint string) Cause {
	return Cause{regexp.MustCompile(`(?s)` + pattern), cause, hint, false}
}

// dns01Causes explain failures of DNS-01: the Secrets, the self check, and the provider. They match
// messages of cert-manager v1.21 and v1.19 (pkg/issuer/acme/dns, pkg/issuer/acme/setup.go
// validateDNSSolvers and pkg/controller/acmechallenges).
var dns01Causes = []Cause{
	dns01(
		`does not have key "|failed to get secret "|failed to load secret "|error getting [a-z0-9 ]+: secrets? "[^"]*" not found|key ["'][^"']*["'] not found in secret|no data found in Secret|no key "[^"]*" in secret`,
		"a Secret that certManager.acme.dns01 names is missing or lacks the key",
		"compare its names and keys with kubectl -n cert-manager describe secrets",
	),
	dns01(
		`error getting service account token: .*serviceaccounts? "[^"]*" not found`,
		"the ServiceAccount that certManager.acme.dns01 names does not exist",
		"create it in namespace cert-manager",
	),
	dns01(
		`Waiting for DNS-01 challenge propagation: .*no such host`,
		"the cluster's DNS does not know a name server of the zone",
		"is a server of dig NS ZONE gone? Where the cluster asks another DNS than the world "+
			"does: certManager.values, dns01RecursiveNameservers and dns01RecursiveNameserversOnly (docs/acme.md)",
	),
	dns01(
		`(Waiting for DNS-01 challenge propagation|DNS-01 challenge for \S+ is (pending|being deleted)): .*(dial|read) (udp|tcp) \S+:53: `, "a name server does not answer cert-manager on port 53",
		"let cert-manager's Pods reach port 53 of the zone's name servers, or have it ask the "+
			"cluster's DNS alone: certManager.values, dns01RecursiveNameserversOnly: true (docs/acme.md)",
	),
	dns01(
		`Waiting for DNS-01 challenge propagation: .*NS \S+ returned `,
		"a name server of the zone does not answer for the name",
		"dig TXT _acme-challenge.NAME @ that server; the zone's delegation names it, and it does not have the zone",
	),
	dns01(`Waiting for DNS-01 challenge propagation: .*not yet propagated`,
		"the name servers do not have the TXT record yet",
		"dig TXT _acme-challenge.NAME @ each of the zone's name servers"),
	dns01(
		`Could not find the SOA record|Could not determine (the zone|authoritative)|SOA record for the domain`, "the zone of the name is not found in the DNS",
		"where the cluster asks another DNS than the world does: certManager.values, "+
			"dns01RecursiveNameservers (docs/acme.md)",
	),
	dns01(calling+`(`+unreachable+`)`, "the DNS provider is not reached",
		"a firewall or NetworkPolicy between cert-manager and the address that it names?"),
	dns01(calling+`x509: `, "cert-manager does not trust the certificate of the DNS provider",
		"does a proxy on the way there sign with a CA of its own?"),
	dns01(
		`azidentity\.AuthenticationFailedError|authentication failed:.*see logs for more information`, "Azure does not accept the solver's credential",
		"compare clientID, tenantID and the client secret, which expires, with Azure's; "+ownWords,
	),
	dns01(
		`Found no Zones for domain|not found in Route 53 for domain|not found in AzureDNS for domain|No matching GoogleCloud domain found`, "the DNS provider's account does not show the zone of the name",
		"is the zone in the account, project or resource group of certManager.acme.dns01, and "+
			"may the credential read it?",
	),
	dns01(
		`Cloudflare API .*\b(6003|6103|6111|9103|9106|9109|10000|10001): `,
		"Cloudflare does not accept the token",
		"write another one into the Secret that certManager.acme.dns01 names; it needs Zone Read "+
			"and DNS Edit of the zone",
	),
	dns01(`googleapi: Error 40[13]`, "Google refuses the service account",
		"it needs the role DNS Administrator in the project of certManager.acme.dns01, with the "+
			"Cloud DNS API enabled there"),
	dns01(
		`failed to (determine|change|query) Route 53|unable to assume role|<redacted (AWS|Azure|DigitalOcean) SDK error|request error:.*see logs for more information`, "the DNS provider refuses the solver, or is not reached",
		ownWords+"; "+compareSolver,
	),
	dns01(
		`(unable to handle the request|could not find the requested resource) \(post \S+\.\S+\)`,
		"the webhook of the DNS solver is not there, or does not answer",
		"kubectl get apiservices; compare dns01.webhook.groupName and solverName with the "+
			"webhook's own; do its Pods run?",
	),
	dns01(
		`User "[^"]*" cannot create resource "[^"]*" in API group "[^"]*" at the cluster scope`,
		"cert-manager may not use the DNS solver's webhook",
		"the webhook's chart has a ClusterRole and binding for the ServiceAccount cert-manager "+
			"of namespace cert-manager",
	),
	dns01(
		`DNS update failed|Cloudflare API for|GoogleCloud API call failed|googleapi: Error|edgedns: |account credentials not found for domain|error instantiating .* challenge solver`,
		"the DNS provider refuses the solver", compareSolver,
	),
}
