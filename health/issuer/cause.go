package issuer

import (
	"regexp"
	"slices"
)

// Cause explains why cert-manager cannot use an issuer or issue a certificate. It matches the error
// text of cert-manager, Vault or Go's library, because they have no error codes.
type Cause struct {
	pattern *regexp.Regexp
	Cause   string
	Hint    string
	// final is true if cert-manager does not retry until the issuer is changed, because the
	// issuer's Setup returned no error.
	final bool
}

// ofVault returns a pattern that matches Vault's errors (github.com/hashicorp/vault/api
// ResponseError). It requires Vault's prefix, because DNS providers use the same words.
func ofVault(answer string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)Error making API request\..*(` + answer + `)`)
}

// issuanceCauses are tried in order, the specific ones first. They match messages of cert-manager
// v1.21 pkg/issuer/vault/setup.go, pkg/issuer/ca/setup.go, actions/cluster/vault/vault.go and
// pkg/controller/certificaterequests, and of Vault's PKI and Kubernetes engines.
var issuanceCauses = []Cause{
	{
		regexp.MustCompile(`Vault config cannot be empty|Vault server and path are required|Vault tokenSecretRef, appRole|Multiple auth methods|` +
			`Vault (Kubernetes|Token|AppRole) auth (requires|cannot)`),
		"the issuer's specification is incomplete", "correct spec.vault of the issuer", true,
	},
	{regexp.MustCompile(`(?i)vault is sealed`), "Vault is sealed",
		"vault operator unseal, on each Vault server", false},
	{regexp.MustCompile(`(?i)not (yet )?initiali[sz]ed`), "Vault is not initialised",
		"vault operator init, then unseal", false},
	{
		regexp.MustCompile(`serviceaccounts? "[^"]*" is forbidden|cannot create resource "serviceaccounts/token"`),
		"cert-manager may not request tokens for the ServiceAccount",
		"a Role for serviceaccounts/token, which cert-manager's chart no longer has since 1.21", false,
	},
	{
		regexp.MustCompile(`serviceaccounts? "[^"]*" not found`),
		"the ServiceAccount of the Vault login does not exist",
		"create the ServiceAccount that spec.vault.auth.kubernetes.serviceAccountRef names", false,
	},
	{
		ofVault(`invalid role name|role "[^"]*" could not be found|unknown role|(service account name|namespace) not authorized|invalid audience|audience.*(claim|match)`),
		"wrong Vault role: it does not exist, or does not admit this ServiceAccount",
		"compare the issuer's role and path with vault read auth/kubernetes/role/ROLE and vault " +
			"read MOUNT/roles/ROLE", false,
	},
	{
		ofVault(`invalid token|bad token|token (is|has|not) (expired|found)|token expired|missing client token`),
		"the Vault token is expired or invalid",
		"vault token lookup; write a new token into the Secret, or use Kubernetes authentication", false,
	},
	{
		ofVault(`permission denied|Code: 403`),
		"Vault denies permission: the role's policy does not allow it, or the token is expired or invalid",
		"vault policy read POLICY must allow update on MOUNT/sign/ROLE; vault token lookup", false,
	},
	{
		ofVault(`no handler for route|unsupported path|Code: 404`),
		"Vault has nothing mounted at the issuer's path",
		"vault secrets list; vault auth list; compare spec.vault.path and auth mountPath", false,
	},
	{
		regexp.MustCompile(`Error getting keypair for CA issuer: .*(not found|no data for|no private key|no certificate)`),
		"the CA's Secret is missing or has no key pair",
		"the Certificate that makes the CA must be Ready first; a ClusterIssuer reads from " +
			"cert-manager's namespace", false,
	},
	{
		regexp.MustCompile(`certificate is not a CA`),
		"the CA's Secret holds a certificate that is not a CA",
		"set isCA: true in the Certificate that makes it", false,
	},
	{
		regexp.MustCompile(`secrets? "[^"]*" not found|could not access [Ss]ecret|no data for "|Required secret resource not found`),
		"a Secret that the issuer names is missing or lacks a key",
		"a ClusterIssuer reads Secrets from cert-manager's namespace", false,
	},
	{
		regexp.MustCompile(`Referenced .*not found|referenced issuer .*not found`),
		"the issuer that it names does not exist",
		"kubectl get clusterissuers,issuers -A; compare spec.issuerRef", false,
	},
	{
		regexp.MustCompile(`does not have a Ready status condition|issuer is not ready`),
		"the issuer that it names is not ready", "kubectl get clusterissuers,issuers -A -o wide", false,
	},
	{
		regexp.MustCompile(`x509: certificate signed by unknown authority|certificate is not trusted`),
		"the server's certificate is of a CA that the issuer does not trust",
		"put the CA into the issuer's caBundle: certManager.vault.caCertificate, certManager.acme.caCertificate", false,
	},
	{regexp.MustCompile(`x509: `), "the server's certificate is not valid for this name or time",
		"compare the names in the server's certificate with the server that the issuer names", false},
	{regexp.MustCompile(`connection refused`), "nothing listens at the server's address",
		"kubectl get pods,endpointslices of the server; is the server that the issuer names right?", false},
	{regexp.MustCompile(`no such host`), "the server's name is not known in the cluster",
		"is the server that the issuer names right, and CoreDNS well?", false},
	{
		regexp.MustCompile(`i/o timeout|deadline exceeded|no route to host|network is unreachable|timed out`),
		"network fault between cert-manager and the server",
		"a NetworkPolicy or firewall between them?", false,
	},
}

// CauseOfIssuance returns the cause that matches a message of cert-manager; the zero value if none
// does.
func CauseOfIssuance(message string) Cause {
	for _, known := range slices.Concat(acmeCauses, dns01Causes, issuanceCauses) {
		if known.pattern.MatchString(message) {
			return known.withRetryAfter(message)
		}
	}
	return Cause{}
}
