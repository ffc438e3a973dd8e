package issuer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each line is the text of one real failure of ACME, from the server, cert-manager's self check or
// a solver.
func TestACMEMessagesMapToCauses(t *testing.T) {
	account := func(code, kind, text string) string {
		return "Failed to register ACME account: " + code + " urn:ietf:params:acme:error:" + kind + ": " + text
	}
	failedChallenge := func(kind, text string) string {
		return "Error accepting authorization: acme: authorization error for a.example.org: 403 urn:ietf:params:acme:error:" + kind + ": " + text
	}
	for _, c := range []struct{ message, cause string }{
		{account("429", "rateLimited", "too many registrations for this IP"), "rate limit is reached"},
		{account("403", "externalAccountRequired", "an external account is required"), "wants an external account"},
		{account("401", "unauthorized", "the field 'kid' references a key that is not known to the ACME server"), "does not accept the account"},
		{account("400", "malformed", "failed to decode external account binding"), "does not accept the account"},
		{"Failed to update ACME account:400 urn:ietf:params:acme:error:invalidContact: Error validating contact(s) :: contact email has forbidden domain \"example.org\"", "does not take the e-mail address"},
		{"Failed to update ACME account:403 urn:ietf:params:acme:error:unauthorized: Account is not valid, has status \"deactivated\"", "does not accept the account"},
		{`Failed to update ACME account:Post "https://10.0.0.1:14000/my-account/1": tls: failed to verify certificate: x509: certificate signed by unknown authority`, "does not trust the ACME server's own certificate"},
		{"Failed to register ACME account: failed to decode external account binding key data: illegal base64 data at input byte 10", "key of the external account is not in base64url"},
		{`Failed to register ACME account: failed to find external account binding key data in Secret "strata-acme-eab" at index "key"`, "Secret of the external account lacks the key"},
		{account("400", "invalidContact", "contact email has forbidden domain"), "does not take the e-mail address"},
		{account("400", "unsupportedContact", "only mailto"), "does not take the e-mail address"},
		{account("403", "userActionRequired", "see https://acme.example.org/terms"), "wants its terms agreed to"},
		{account("500", "serverInternal", "down for maintenance"), "a fault of its own"},
		{`Failed to register ACME account: Get "https://10.0.0.1:14000/dir": tls: failed to verify certificate: x509: certificate signed by unknown authority`, "does not trust the ACME server's own certificate"},
		{`Failed to register ACME account: Get "https://acme.example.org/dir": dial tcp: lookup acme.example.org: no such host`, "name is not known in the cluster"},
		{"Failed to create Order: 400 urn:ietf:params:acme:error:accountDoesNotExist: unable to find existing account", "does not know the account"},
		{"Failed to create Order: 400 urn:ietf:params:acme:error:rejectedIdentifier: policy forbids issuing for name", "does not sign for the name"},
		{"Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: too many certificates, retry after 2026-03-10 13:59:05 UTC: see https://letsencrypt.org/docs/rate-limits/", "rate limit is reached; it takes requests again after 2026-03-10 13:59:05 UTC"},
		{failedChallenge("caa", "CAA record prevents issuance"), "a CAA record"},
		{failedChallenge("dns", "NXDOMAIN looking up A for a.example.org"), "does not find the name in the DNS"},
		{failedChallenge("connection", "10.0.0.1: Connection refused"), "does not reach the name's address on port 80"},
		{failedChallenge("tls", "remote error: tls: handshake failure"), "does not reach the name's address on port 80"},
		{failedChallenge("unauthorized", "The key authorization file from the server did not match"), "did not find the challenge's answer"},
		{failedChallenge("incorrectResponse", "no TXT record"), "did not find the challenge's answer"},
		{`Waiting for HTTP-01 challenge propagation: failed to perform self check GET request 'http://a.example.org/.well-known/acme-challenge/x': Get "http://a.example.org/": dial tcp: lookup a.example.org on 10.43.0.10:53: no such host`, "the cluster's DNS does not know the name"},
		{"Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'", "solver does not answer at the name"},
		{`Waiting for HTTP-01 challenge propagation: did not get expected response when querying endpoint, expected "a" but got: b`, "solver does not answer at the name"},
		{"Waiting for HTTP-01 challenge propagation: failed to perform self check GET request: dial tcp 10.0.0.9:80: connect: connection refused", "does not answer on port 80, asked from a Pod"},
		{`Waiting for DNS-01 challenge propagation: DNS record for "a.example.org" not yet propagated`, "do not have the TXT record yet"},
		{`Could not find the SOA record in the DNS tree for the domain '_acme-challenge.a.example.org.' using nameservers [10.43.0.10:53]`, "zone of the name is not found"},
		{"DNS update failed. Server replied: NOTAUTH", "DNS provider refuses the solver"},
		{"error instantiating cloudflare challenge solver: no Cloudflare credential has been given", "DNS provider refuses the solver"},
	} {
		t.Run(c.message, func(t *testing.T) {
			known := CauseOfIssuance(c.message)
			assert.Contains(t, known.Cause, c.cause)
			assert.NotEmpty(t, known.Hint)
		})
	}
	assert.Zero(t, CauseOfIssuance("retry after 2026-03-10 13:59:05 UTC"), "when it ends is no cause")
}
