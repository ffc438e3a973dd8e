package issuer

import "regexp"

// problem returns a pattern that matches an error of the ACME server by its type (RFC 8555, section
// 6.7).
func problem(types string) *regexp.Regexp {
	return regexp.MustCompile(`urn:ietf:params:acme:error:(` + types + `)\b`)
}

// selfCheck returns a pattern for a failed self check. cert-manager checks a challenge's answer
// itself before it tells the ACME server to check (cert-manager pkg/controller/acmechallenges and
// pkg/issuer/acme).
func selfCheck(kind, found string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)Waiting for ` + kind + ` challenge propagation: .*(` +
		found + `)`)
}

// acmeCauses explain failures with an ACME server, from the account to the challenge's answer.
// cert-manager writes no space after the colon of "Failed to update ACME account:"
// (pkg/issuer/acme/setup.go).
var acmeCauses = []Cause{
	{problem("rateLimited"), "the ACME server's rate limit is reached",
		"try with the CA's staging server; certificates that exist go on working", false},
	{
		regexp.MustCompile(`failed to decode external account binding key`),
		"the key of the external account is not in base64url",
		"set certManager.acme.eab.key to what the CA gave you", false,
	},
	{
		regexp.MustCompile(`failed to find external account binding key`),
		"the Secret of the external account lacks the key",
		"pulumi up puts it back if Strata made it", false,
	},
	{problem("externalAccountRequired"), "the ACME server wants an external account",
		"set certManager.acme.eab to what the CA gave you", false},
	{problem("invalidContact|unsupportedContact"),
		"the ACME server does not take the e-mail address",
		"correct certManager.acme.email, or leave it out", false},
	{problem("userActionRequired"), "the ACME server wants its terms agreed to anew",
		"open the address that it names", false},
	{
		problem("accountDoesNotExist"), "the ACME server does not know the account",
		"kubectl -n cert-manager delete secret strata-acme-account has cert-manager register another one", false,
	},
	{
		regexp.MustCompile(`(?s)ACME account:.*(external ?account|error:unauthorized)`),
		"the ACME server does not accept the account, or the external account behind it",
		"compare certManager.acme.eab with what the CA gave you", false,
	},
	{regexp.MustCompile(`(?s)ACME account:.*x509: `),
		"cert-manager does not trust the ACME server's own certificate",
		"set certManager.acme.caCertificate to its CA", false},
	{
		regexp.MustCompile(`Failed to (create|finalize|retrieve) Order(| resource): .*error:unauthorized`), "the ACME server does not let the account have a certificate for the name",
		"is the name's domain added, and proved where the CA asks for it, in the account that " +
			"certManager.acme.eab is of? " +
			"For an account that was deactivated: kubectl -n cert-manager delete secret " +
			"strata-acme-account has cert-manager register another one", false,
	},
	{problem("caa"), "a CAA record lets other CAs alone sign for the name",
		"add the CA to the name's CAA records", false},
	{problem("rejectedIdentifier"), "the ACME server does not sign for the name",
		"is the name public, and yours?", false},
	{problem("dns"), "the ACME server does not find the name in the DNS",
		"add the name's record: it leads to the ingress's address (output ingressAddress)", false},
	{
		problem("connection|tls"), "the ACME server does not reach the name's address on port 80",
		"does the name lead to the ingress's address from outside, and do firewall and NAT let port 80 through?", false,
	},
	{
		problem("unauthorized|incorrectResponse"),
		"the ACME server did not find the challenge's answer at the name",
		"does the name lead to the ingress's address from outside? With dns01: is the zone the " +
			"one that the world asks?", false,
	},
	{problem("serverInternal"), "the ACME server has a fault of its own",
		"look at the CA's status page", false},
	{
		selfCheck("HTTP-01", "no such host"), "the cluster's DNS does not know the name",
		"add the name's record: it leads to the ingress's address (output ingressAddress)", false,
	},
	{
		selfCheck("HTTP-01", "wrong status code|did not get expected response"),
		"the solver does not answer at the name: its Pod starts, or the name leads elsewhere",
		"kubectl get pods,ingresses -A -l acme.cert-manager.io/http01-solver=true; does the name " +
			"lead to the ingress's address?", false,
	},
	{
		selfCheck("HTTP-01", "connection refused|i/o timeout|deadline exceeded|Timeout|no route"),
		"the name's address does not answer on port 80, asked from a Pod",
		"does the name lead to the ingress's address?", false,
	},
}

var (
	// retryAfter matches the end of a rate limit in Let's Encrypt's message. cert-manager does not
	// keep the header Retry-After.
	retryAfter = regexp.MustCompile(`(?i)retry after (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d ?(UTC|Z)?)`)
	// refusedAccount matches the server's refusal of an account. cert-manager does not retry such a
	// registration by itself (pkg/issuer/acme/setup.go).
	refusedAccount = regexp.MustCompile(
		`Failed to (register|update) ACME account: ?4\d\d |failed to decode external account binding key|Your ACME server URL is set to a v1 endpoint|` +
			`Account private key is invalid|ACME private key in "[^"]*" is not of type RSA|Failed to parse existing ACME`)
	// awaitsSecret matches messages about an ACME Secret that does not exist or lacks a key.
	// cert-manager retries only when the Secret is created or changed (pkg/issuer/acme/setup.go,
	// pkg/controller/clusterissuers issuersForSecret).
	awaitsSecret = regexp.MustCompile(`failed to find external account binding key|ACME account: secrets? "[^"]*" not found|the secret "[^"]*" does not have key "|failed to get secret "`)
)

// withRetryAfter returns the cause, with the end of the rate limit added if the message has it.
func (c Cause) withRetryAfter(message string) Cause {
	if said := retryAfter.FindStringSubmatch(message); said != nil {
		c.Cause += "; it takes requests again after " + said[1]
	}
	return c
}
