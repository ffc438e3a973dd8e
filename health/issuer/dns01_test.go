package issuer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func waiting(text string) string { return "Waiting for DNS-01 challenge propagation: " + text }

func pending(text string) string {
	return `Waiting on certificate issuance from order traefik/traefik-tls-1: "pending" DNS-01 challenge for *.example.org is pending: ` + text
}

func cloudflare(text string) string {
	return "while attempting to find Zones for domain _acme-challenge.vault.example.org.\nwhile " +
		"querying the Cloudflare API for GET \"/zones?name=example.org\" " + text
}

const (
	refused, redacted = "DNS provider refuses the solver", "see events and logs for details>"
	zone, secret      = "does not show the zone of the name",
		"a Secret that certManager.acme.dns01 names is missing or lacks the key"
	unreached, port53 = "the DNS provider is not reached", "does not answer cert-manager on port 53"
)

// solverFaults lists the messages of real failures of a DNS solver or of the self check.
var solverFaults = []struct{ message, cause, hint string }{
	{cloudflare("\n\t Error: 9109: Invalid access token"), "Cloudflare does not accept the token",
		"Zone Read and DNS Edit"},
	{cloudflare("\n\t Error: 6003: Invalid request headers<- 6111: Invalid format for " +
		"Authorization header"), "Cloudflare does not accept the token", "Zone Read and DNS Edit"},
	{cloudflare("\n\t Error: 9103: Unknown X-Auth-Key or X-Auth-Email"),
		"Cloudflare does not accept the token", "Zone Read and DNS Edit"},
	{"while querying the Cloudflare API for POST \"/zones/0af1/dns_records\" \n\t Error: 10000: " +
		"Authentication error", "Cloudflare does not accept the token", "Zone Read and DNS Edit"},
	{"while querying the Cloudflare API for POST \"/zones/0af1/dns_records\" \n\t Error: 1004: " +
		"DNS Validation Error<- 9041: This DNS record cannot be proxied", refused,
		"certManager.acme.dns01"},
	{cloudflare(`: Get "https://api.cloudflare.com/client/v4/zones?name=example.org": dial tcp: lookup api.cloudflare.com on 10.43.0.10:53: no such host`), unreached, "firewall"},
	{cloudflare(`: Get "https://api.cloudflare.com/client/v4/zones?name=example.org": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`), unreached, "firewall"},
	{cloudflare(`: Get "https://api.cloudflare.com/client/v4/zones?name=example.org": tls: failed to verify certificate: x509: certificate signed by unknown authority`), "does not trust the certificate of the DNS provider", "proxy"},
	{"Found no Zones for domain _acme-challenge.platform.example.org. (neither in the sub-domain " +
		"nor in the SLD) please make sure your domain-entries in the config are correct and the " +
		"API key is correctly setup with Zone.read rights.", zone, "certManager.acme.dns01"},
	{"failed to determine Route 53 hosted zone ID: operation error Route 53: " +
		"ListHostedZonesByName, <redacted AWS SDK error: http.ResponseError: " + redacted,
		"refuses the solver, or is not reached", "get events -A"},
	{"failed to determine Route 53 hosted zone ID: operation error Route 53: " +
		"ListHostedZonesByName, https response error StatusCode: 403, RequestID: <REDACTED>, api " +
		"error InvalidClientTokenId: The security token included in the request is invalid.",
		"refuses the solver, or is not reached", "get events -A"},
	{"failed to change Route 53 record set: operation error Route 53: ChangeResourceRecordSets, " +
		"<redacted AWS SDK error: http.ResponseError: " + redacted,
		"refuses the solver, or is not reached", "get events -A"},
	{"failed to determine Route 53 hosted zone ID: zone example.org. not found in Route 53 for " +
		"domain _acme-challenge.example.org.", zone, "certManager.acme.dns01"},
	{"failed to determine Route 53 hosted zone ID: error finding zone from fqdn: Could not find " +
		"the SOA record in the DNS tree for the domain '_acme-challenge.a.example.org.' using " +
		"nameservers [10.43.0.10:53]", "zone of the name is not found in the DNS",
		"dns01RecursiveNameservers"},
	{"error instantiating route53 challenge solver: unable to assume role: operation error STS: " +
		"AssumeRole, <redacted AWS SDK error: http.ResponseError: " + redacted,
		"refuses the solver, or is not reached", "get events -A"},
	{`error getting service account token: failed to request token for cert-manager/dns: serviceaccounts "dns" not found`, "ServiceAccount that certManager.acme.dns01 names does not exist", "cert-manager"},
	{"<redacted Azure SDK error: azcore.ResponseError: " + redacted,
		"refuses the solver, or is not reached", "get events -A"},
	{"Zone example.org. not found in AzureDNS for domain _acme-challenge.example.org.. Err: " +
		"<redacted Azure SDK error: azcore.ResponseError: " + redacted, zone,
		"certManager.acme.dns01"},
	{"Zone example.org. not found in AzureDNS for domain _acme-challenge.example.org.. Err: " +
		"<redacted Azure SDK error: azidentity.AuthenticationFailedError: " + redacted,
		"Azure does not accept the solver's credential", "expires"},
	{
		"Zone example.org. not found in AzureDNS for domain _acme-challenge.example.org.. Err: " +
			"authentication failed:\nPOST " +
			"https://login.microsoftonline.com/t/oauth2/v2.0/token\nRESPONSE 401 " +
			"Unauthorized\nsee logs for more information",
		"Azure does not accept the solver's credential", "expires",
	},
	{
		"Zone example.org. not found in AzureDNS for domain _acme-challenge.example.org.. Err: " +
			"request error:\nGET https://management.azure.com/subscriptions/s\nRESPONSE 404 Not " +
			"Found\nERROR CODE: ResourceNotFound\nsee logs for more information",
		zone, "certManager.acme.dns01",
	},
	{"request error:\nPUT https://management.azure.com/subscriptions/s\nRESPONSE 403 " +
		"Forbidden\nERROR CODE: AuthorizationFailed\nsee logs for more information",
		"refuses the solver, or is not reached", "get events -A"},
	{"<redacted DigitalOcean SDK error: godo.ErrorResponse: " + redacted,
		"refuses the solver, or is not reached", "get events -A"},
	{pending(`Get "https://api.digitalocean.com/v2/domains/example.org/records": dial tcp 104.16.181.15:443: i/o timeout`), unreached, "firewall"},
	{"GoogleCloud API call failed: googleapi: Error 403: Permission denied on resource project " +
		"x., forbidden", "Google refuses the service account", "DNS Administrator"},
	{"googleapi: Error 403: Forbidden, forbidden", "Google refuses the service account",
		"DNS Administrator"},
	{"GoogleCloud API call failed: googleapi: Error 503: The service is currently unavailable., " +
		"backendError", refused, "certManager.acme.dns01"},
	{`GoogleCloud API call failed: Get "https://dns.googleapis.com/dns/v1/projects/x/managedZones?dnsName=example.org.": dial tcp: lookup dns.googleapis.com on 10.43.0.10:53: no such host`, unreached, "firewall"},
	{"No matching GoogleCloud domain found for domain example.org.", zone,
		"certManager.acme.dns01"},
	{"the server is currently unable to handle the request (post hetzner.acme.example.org)",
		"webhook of the DNS solver is not there", "apiservices"},
	{"the server could not find the requested resource (post hetzner.acme.example.org)",
		"webhook of the DNS solver is not there", "apiservices"},
	{`hetzner.acme.example.org is forbidden: User "system:serviceaccount:cert-manager:cert-manager" cannot create resource "hetzner" in API group "acme.example.org" at the cluster scope`, "cert-manager may not use the DNS solver's webhook", "ClusterRole"},
	{waiting("lookup ns1.example.net. on 10.43.0.10:53: no such host"),
		"does not know a name server of the zone", "dns01RecursiveNameserversOnly"},
	{waiting("dial udp: lookup ns1.example.net. on 10.43.0.10:53: no such host"),
		"does not know a name server of the zone", "dns01RecursiveNameserversOnly"},
	{waiting("dial udp 192.0.2.4:53: i/o timeout"), port53, "dns01RecursiveNameserversOnly: true"},
	{waiting("dial tcp 192.0.2.4:53: connect: connection refused"), port53,
		"dns01RecursiveNameserversOnly: true"},
	{waiting("dial udp 192.0.2.4:53: connect: network is unreachable"), port53,
		"dns01RecursiveNameserversOnly: true"},
	{pending("dial tcp 192.0.2.4:53: i/o timeout"), port53, "dns01RecursiveNameserversOnly: true"},
	{waiting("NS ns1.example.net.:53 returned REFUSED for _acme-challenge.a.example.org."),
		"does not answer for the name", "dig"},
	{waiting(`DNS record for "a.example.org" not yet propagated`),
		"do not have the TXT record yet", "dig"},
	{waiting(`Could not determine authoritative nameservers for "_acme-challenge.a.example.org."`),
		"zone of the name is not found", "dns01RecursiveNameservers"},
	{`the secret "dns-token" does not have key "token"`, secret, "describe secrets"},
	{`failed to get secret "dns-token": secrets "dns-token" not found`, secret, "describe secrets"},
	{`error getting cloudflare secret: secret "dns-token" not found`, secret, "describe secrets"},
	{`error getting clouddns service account: secret "dns-token" not found`, secret,
		"describe secrets"},
	{`specified key "token" not found in secret cert-manager/dns-token`, secret,
		"describe secrets"},
	{`error getting azure dns client secret: key 'x' not found in secret`, secret,
		"describe secrets"},
	{`no data found in Secret "dns-token" at Key "id"`, secret, "describe secrets"},
	{`error getting akamai client token: no key "a" in secret "cert-manager/dns-token"`, secret,
		"describe secrets"},
	{`error getting akamai client token: failed to load secret "cert-manager/dns-token": secret "dns-token" not found`, secret, "describe secrets"},
	{`data entry with key "tsig" not found in secret`, secret, "describe secrets"},
	{"DNS update failed: dns: bad authentication", refused, "certManager.acme.dns01"},
	{"DNS update failed. Server replied: NOTAUTH", refused, "certManager.acme.dns01"},
	{"DNS update failed: dial udp 10.0.0.53:53: i/o timeout", unreached, "firewall"},
	{"error instantiating cloudflare challenge solver: no Cloudflare credential has been given " +
		"(can be either an API key or an API token)", refused, "certManager.acme.dns01"},
	{"account credentials not found for domain a.example.org", refused, "certManager.acme.dns01"},
	{`edgedns: failed to create TXT record: API error: "title": "Not authorized"`, refused,
		"certManager.acme.dns01"},
}

func TestDNSSolverMessagesMapToCauses(t *testing.T) {
	for _, c := range solverFaults {
		t.Run(c.message, func(t *testing.T) {
			known := CauseOfIssuance(c.message)
			assert.Contains(t, known.Cause, c.cause)
			assert.Contains(t, known.Hint, c.hint)
			assert.False(t, known.final, "a solver is tried again")
		})
	}
}

// These messages would be blamed on Vault if a cause of Vault did not require the form of Vault's
// errors.
func TestMessagesOfOtherProgramsAreNotBlamedOnVault(t *testing.T) {
	for _, message := range []string{
		"DNS-01 challenge for vault.example.org is pending: API error: permission denied",
		"API error: Code: 403", "DNS-01 challenge for a is pending: unknown role", "Code: 404",
		"invalid token", "bad token",
	} {
		assert.NotContains(t, CauseOfIssuance(message).Cause, "Vault", message)
	}
}

// In these messages, the ACME server refuses the account. They say nothing about a challenge.
func TestRefusedACMEAccountIsNotChallengeFailure(t *testing.T) {
	for _, message := range []string{
		`Failed to create Order: 403 urn:ietf:params:acme:error:unauthorized: Certificate issuance is not allowed for this account`,
		`Failed to create Order: 403 urn:ietf:params:acme:error:unauthorized: Account is not valid, has status "deactivated"`,
		`Failed to finalize Order: 403 urn:ietf:params:acme:error:unauthorized: The account is not allowed to issue for the domain`,
	} {
		known := CauseOfIssuance(message)
		assert.Contains(t, known.Cause, "does not let the account have a certificate for the name")
		assert.Contains(t, known.Hint, "certManager.acme.eab")
	}
}
