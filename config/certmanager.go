package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// CertManager configures cert-manager and the stack's own certificate authority.
type CertManager struct {
	// Enabled installs cert-manager. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are Helm values for the chart, in the form of its values.yaml. Strata refuses values
	// that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// Replicas is the number of Pods of the controller, of the webhook and of the CA injector.
	// Default: 1; with three or more servers 2.
	Replicas int `json:"replicas,omitempty"`
	// CommonName is the name of the stack's root CA. Default: "Strata root of STACK".
	CommonName string `json:"commonName,omitempty"`
	// NameConstraints limit the stack's CA to these DNS domains and the names below them. Clients
	// refuse its certificates for other names and for IP addresses. One of the domains must contain
	// ingress.domain. An existing CA keeps its constraints (docs/config-changes.md). Default: none,
	// the CA can sign any name.
	NameConstraints []string `json:"nameConstraints,omitempty"`
	// AcceptedCA accepts a CA that cert-manager has created in place of the stack's recorded CA. It
	// is the sha256 fingerprint of that CA in hex, or at least the first 16 digits
	// (docs/troubleshooting.md). Default: none, and a gate fails if the CA is not the recorded one.
	AcceptedCA string `json:"acceptedCA,omitempty"`
	// Issuer selects the CA that signs the platform's certificates: selfSigned (a root of the
	// stack's own), vault, or acme (an ACME server such as Let's Encrypt). Default selfSigned.
	Issuer string `json:"issuer,omitempty" enum:"selfSigned,vault,acme"`
	// Vault configures issuer vault.
	Vault VaultIssuer `json:"vault"`
	// ACME configures issuer acme (docs/acme.md).
	ACME ACMEIssuer `json:"acme,omitzero"`
}

var certManagerOwned = slices.Concat(
	keepNames("namespace"),
	because("Strata sets it", "use crds.keep", "crds"),
	keepDefaults("the chart refuses it beside crds.enabled, which Strata sets", "installCRDs"),
	set("use certManager.replicas", "replicaCount", "webhook.replicaCount",
		"cainjector.replicaCount"),
	because(budgeted, "use certManager.replicas", "podDisruptionBudget.enabled",
		"webhook.podDisruptionBudget.enabled"),
	unless(severalReplicas, because("with one replica the chart's PodDisruptionBudget blocks "+
		"each drain of its node", "use certManager.replicas",
		"cainjector.podDisruptionBudget.enabled")),
	because("the gate of the API does this check, and says why", "", "startupapicheck"),
	keepDefaults("without it no webhook has its CA, and every certificate is refused",
		"cainjector.enabled"),
	keepDefaults("the gate asks the webhook's own Service, from namespace cert-manager", "webhook.url",
		"webhook.validatingWebhookConfiguration.namespaceSelector",
		"webhook.mutatingWebhookConfiguration.namespaceSelector"),
	keepDefaults("the Secrets of the cluster issuers are in namespace cert-manager",
		"clusterResourceNamespace"),
	keepDefaults("the login at Vault is for this account", "serviceAccount.create",
		"serviceAccount.name"),
	keepDefaults(unapproved, "disableAutoApproval"),
	unless(approvesOwn, because(unapproved,
		"list "+strings.Join(ownSigners, " and ")+" beside your own", "approveSignerNames")),
	keepDefaults("without it cert-manager may do none of its work", "global.rbac.create"),
)

const unapproved = "the platform's own certificates would never be approved"

// ownSigners are the signers of cert-manager's own issuers, which the chart has by default.
var ownSigners = []string{"issuers.cert-manager.io/*", "clusterissuers.cert-manager.io/*"}

// approvesOwn reports whether a list of signers includes cert-manager's own. An empty list means
// every signer (cert-manager deploy/charts/cert-manager/values.yaml, approveSignerNames).
func approvesOwn(_ *Config, value any) bool {
	list, isList := value.([]any)
	if isList && len(list) == 0 {
		return true
	}
	return !slices.ContainsFunc(ownSigners,
		func(one string) bool { return !slices.Contains(list, any(one)) })
}

// severalReplicas reports whether a user may set podDisruptionBudget.enabled. With one replica,
// only false is allowed, because the chart's budget
// (deploy/charts/cert-manager/templates/cainjector-poddisruptionbudget.yaml) would block drains.
func severalReplicas(c *Config, enabled any) bool {
	return c.CertManager.Replicas > 1 || enabled == false
}

// fingerprint matches the fingerprint of a certificate, or its beginning.
var fingerprint = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

func (c *Config) checkCertManager(ps *problems) {
	ps.addIf(c.CertManager.Replicas < 1, field("certManager.replicas"),
		fmt.Sprint(c.CertManager.Replicas), "is less than one", "use 1 or more")
	c.checkIssuer(ps)
	c.checkNameConstraints(ps)
	switch accepted := c.CertManager.AcceptedCA; {
	case accepted == "":
	case c.othersCA():
		ps.add(field("certManager.acceptedCA"), "", "is set, and the CA is not this stack's",
			"remove it, or set certManager.issuer: selfSigned")
	case !fingerprint.MatchString(accepted):
		ps.add(field("certManager.acceptedCA"), accepted, "is no sha256 fingerprint",
			"write 16 to 64 hex digits, in lower case and without colons, as the gate names them")
	}
	ps.addIf(len(c.CertManager.CommonName) > 64, field("certManager.commonName"),
		c.CertManager.CommonName, "is longer than the 64 characters of a common name (RFC 5280)",
		"shorten it")
}

// othersCA reports whether the stack's certificates are signed by a CA that the stack does not
// create.
func (c *Config) othersCA() bool {
	return c.CertManager.Issuer == IssuerACME || c.CertManager.Vault.Address != ""
}

// checkNameConstraints refuses constraints that are no DNS domain, that exclude ingress.domain, or
// that are for a CA of another owner.
func (c *Config) checkNameConstraints(ps *problems) {
	manager, inside := c.CertManager, false
	for i, domain := range manager.NameConstraints {
		ps.addIf(len(validation.IsDNS1123Subdomain(domain)) > 0,
			field("certManager.nameConstraints[%d]", i), domain, "is not a DNS domain",
			"write it without a dot or a star in front, for example example.org")
		inside = inside || strings.HasSuffix("."+c.Ingress.Domain, "."+domain)
	}
	switch key := field("certManager.nameConstraints"); {
	case len(manager.NameConstraints) == 0:
	case c.othersCA():
		ps.add(key, "", "is set, and the CA is not this stack's",
			"remove it, or set certManager.issuer: selfSigned")
	case !inside:
		ps.add(key, strings.Join(manager.NameConstraints, ", "),
			"does not permit ingress.domain, "+c.Ingress.Domain,
			"add it, or a domain that it is below")
	}
}

var issuers = []string{IssuerSelfSigned, IssuerVault, IssuerACME}

func (c *Config) checkIssuer(ps *problems) {
	manager := c.CertManager
	ps.addIf(!slices.Contains(issuers, manager.Issuer), field("certManager.issuer"), manager.Issuer,
		"is not a known issuer", suggestion(manager.Issuer, issuers))
	ps.addIf((manager.Issuer == IssuerVault || manager.Issuer == IssuerACME) && !*manager.Enabled,
		field("certManager.issuer"), manager.Issuer,
		"needs cert-manager, and certManager.enabled is false",
		"enable cert-manager, or use "+IssuerSelfSigned)
	c.checkVaultIssuer(ps)
	c.checkACME(ps)
}
