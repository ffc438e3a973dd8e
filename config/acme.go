package config

import (
	"encoding/base64"
	"encoding/pem"
	"net/mail"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// The values of ACMEIssuer.Solver.
const (
	// SolverHTTP01 answers at http://NAME/.well-known/acme-challenge/, through Traefik.
	SolverHTTP01 = "http01"
	// SolverDNS01 answers by a TXT record of _acme-challenge.NAME.
	SolverDNS01 = "dns01"
)

// ACMEIssuer configures the ACME server that signs certificates, and the proof that the stack
// controls its DNS names.
type ACMEIssuer struct {
	// Server is the URL of the ACME server's directory. There is no default. Test with
	// https://acme-staging-v02.api.letsencrypt.org/directory before
	// https://acme-v02.api.letsencrypt.org/directory, whose rate limits can block a name for a
	// week.
	Server string `json:"server,omitempty"`
	// Email is the address for the ACME server's messages about the account. Default: none.
	Email string `json:"email,omitempty"`
	// CACertificate is the CA of the ACME server's own TLS certificate, in PEM, for a private
	// server. Default: the public CAs.
	CACertificate string `json:"caCertificate,omitempty"`
	// Root is the root CA of the issued certificates, in PEM, if it is not a public CA: for a
	// private server or Let's Encrypt's staging. The gates trust it, and it is the output
	// caCertificate. Default: the public CAs, and no such output.
	Root string `json:"root,omitempty"`
	// ExternalAccount binds the ACME account to the user's account at the CA. Default: none.
	ExternalAccount ACMEExternalAccount `json:"eab,omitzero"`
	// Solver is http01 or dns01; empty means http01. Solver http01 answers through Traefik. It
	// needs a DNS record for each name, and an ACME server that reaches port 80. It gets no
	// wildcard certificate.
	Solver string `json:"solver,omitempty" enum:"http01,dns01"`
	// DNS01 is the configuration of one solver of cert-manager, as in spec.acme.solvers[].dns01 of
	// an issuer (https://cert-manager.io/docs/configuration/acme/dns01/). Required for solver
	// dns01.
	DNS01 DNS01Solver `json:"dns01,omitempty"`
	// Secrets hold the values that dns01 refers to. They become Secrets of namespace cert-manager.
	// Default: none.
	Secrets []ACMESecret `json:"secrets,omitempty"`
}

// DNS01Solver is the configuration of a solver, which Strata passes to cert-manager unchanged.
type DNS01Solver map[string]any

// ACMEExternalAccount is a customer's account at a CA, for ACME (RFC 8555, section 7.3.4).
type ACMEExternalAccount struct {
	// KeyID names the key.
	KeyID string `json:"keyID,omitempty"`
	// Key is the key as the CA gives it, in base64url, with or without padding. It must be
	// encrypted: pulumi config set --secret --path strata:certManager.acme.eab.key.
	Key string `json:"key,omitempty" secret:"true"`
}

// ACMESecret is one key of a Secret in namespace cert-manager, with its value.
type ACMESecret struct {
	// Name is the Secret's name, as dns01 refers to it. Required.
	Name string `json:"name"`
	// Key is the name of the value within the Secret. Required.
	Key string `json:"key"`
	// Value must be encrypted: pulumi config set --secret --path
	// 'strata:certManager.acme.secrets[0].value'. Required.
	Value string `json:"value" secret:"true"`
}

// HTTP01 reports whether the CA validates names by HTTP-01 requests to the ingress. Then the
// ingress must answer before it has a certificate.
func (c *Config) HTTP01() bool {
	return c.CertManager.Issuer == IssuerACME && c.CertManager.ACME.Solver == SolverHTTP01
}

// TraefikNames returns the names of Traefik's certificate: the domain, and its wildcard. HTTP-01
// cannot validate a wildcard. The names are then all hosts with a route through Traefik, or the
// domain if there is none.
func (c *Config) TraefikNames() []string {
	domain := c.Ingress.Domain
	if !c.HTTP01() {
		return []string{domain, "*." + domain}
	}
	var names []string
	if *c.Traefik.Dashboard {
		names = append(names, "traefik."+domain)
	}
	if *c.ArgoCD.Enabled {
		names = append(names, "argocd."+domain)
	}
	for _, w := range c.Apps.Workloads {
		for _, route := range w.Routes {
			if route.Controller == ControllerTraefik {
				names = append(names, route.Host+"."+domain)
			}
		}
	}
	if len(names) == 0 {
		return []string{domain} // the listener has to have a certificate
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stagingServer is the host of Let's Encrypt's staging server. letsEncrypt is the domain of all its
// servers.
const stagingServer, letsEncrypt = "acme-staging-v02.api.letsencrypt.org", ".letsencrypt.org"

// reservedDomains are top-level domains below which no public CA signs: RFC 6761, RFC 6762, RFC
// 8375, and ICANN's internal.
var reservedDomains = []string{"test", "example", "invalid", "localhost", "local",
	"internal", "arpa"}

// acmeCheck holds the values that the checks of certManager.acme share.
type acmeCheck struct {
	*problems
	c     *Config
	given ACMEIssuer
}

// keyPath returns the configuration key of a field of certManager.acme.
func (a acmeCheck) keyPath(name string) string { return field("certManager.acme.%s", name) }

// checkACME checks the section certManager.acme. Its messages contain no secret, and no address
// that may contain a password.
func (c *Config) checkACME(ps *problems) {
	check := acmeCheck{ps, c, c.CertManager.ACME}
	if c.CertManager.Issuer != IssuerACME {
		ps.addIf(!reflect.ValueOf(check.given).IsZero(), field("certManager.acme"), "",
			"is set, and certManager.issuer is "+c.CertManager.Issuer,
			"set certManager.issuer: acme, or remove certManager.acme")
		return
	}
	check.server()
	check.trust()
	check.account()
	switch check.given.Solver {
	case SolverHTTP01:
		check.http01()
	case SolverDNS01:
		check.dns01()
	default:
		ps.add(check.keyPath("solver"), check.given.Solver, "is neither http01 nor dns01",
			suggestion(check.given.Solver, []string{SolverHTTP01, SolverDNS01}))
	}
}

// host returns the ACME server's host; empty if the URL is invalid, has a user or is not https.
func (a acmeCheck) host() string {
	if parsed, err := url.Parse(a.given.Server); err == nil && parsed.Scheme == "https" &&
		parsed.User == nil {
		return parsed.Hostname()
	}
	return ""
}

func (a acmeCheck) server() {
	switch {
	case a.given.Server == "":
		a.add(a.keyPath("server"), "", "is empty, and certManager.issuer is acme",
			"write the URL of the directory; try https://"+stagingServer+
				"/directory before https://acme-v02.api.letsencrypt.org/directory, which has rate limits")
	case a.host() == "":
		a.add(a.keyPath("server"), "", "is not an https URL without user",
			"write it as https://acme.example.org/directory")
	}
}

// trust checks the certificates caCertificate and root. It refuses a reserved domain if a public CA
// signs.
func (a acmeCheck) trust() {
	for name, text := range map[string]string{"caCertificate": a.given.CACertificate, "root": a.given.Root} {
		if block, _ := pem.Decode([]byte(text)); text != "" &&
			(block == nil || block.Type != "CERTIFICATE") {
			a.add(a.keyPath(name), "", "is not a certificate in PEM",
				"paste the file that begins with -----BEGIN CERTIFICATE-----")
		}
	}
	a.addIf(a.host() == stagingServer && a.given.Root == "", a.keyPath("root"), "",
		"is empty, and no client trusts what the staging server issues",
		"paste the root from https://letsencrypt.org/docs/staging-environment/, for the gates")
	public := a.given.Root == "" || strings.HasSuffix(a.host(), letsEncrypt)
	labels := strings.Split(a.c.Ingress.Domain, ".")
	if last := labels[len(labels)-1]; public && a.host() != "" &&
		(len(labels) == 1 || slices.Contains(reservedDomains, last)) {
		a.add(field("ingress.domain"), a.c.Ingress.Domain, "is a name that no public CA signs for",
			"use a domain of your own; with a private ACME server, set certManager.acme.root")
	}
}

func (a acmeCheck) account() {
	if a.given.Email != "" {
		if parsed, err := mail.ParseAddress(a.given.Email); err != nil ||
			parsed.Address != a.given.Email {
			a.add(a.keyPath("email"), a.given.Email, "is not an address of e-mail",
				"write it as platform@example.org, or leave the key out")
		}
	}
	external := a.given.ExternalAccount
	a.addIf((external.KeyID == "") != (external.Key == ""), a.keyPath("eab"), "",
		"has a keyID or a key, and not both", "set the other one as well: the CA gives both")
	if _, err := base64.RawURLEncoding.DecodeString(external.TrimPadding().Key); err != nil {
		a.add(a.keyPath("eab.key"), "", "is not in base64url", "take it as the CA shows it")
	}
}

// TrimPadding returns the account with its key as cert-manager reads it: base64url without padding
// (pkg/issuer/acme/setup.go getEABKey). CAs show the key with or without padding.
func (e ACMEExternalAccount) TrimPadding() ACMEExternalAccount {
	e.Key = strings.TrimRight(e.Key, "=")
	return e
}

func (a acmeCheck) http01() {
	a.addIf(!a.c.Ingress.Uses(ControllerTraefik), a.keyPath("solver"), SolverHTTP01,
		"needs Traefik, and ingress.controllers is "+list(a.c.Ingress.Controllers),
		"add "+ControllerTraefik+" to ingress.controllers, or use "+SolverDNS01)
	a.addIf(a.c.Ingress.Uses(ControllerAPISIX), a.keyPath("solver"), SolverHTTP01,
		"gets no wildcard, and APISIX's certificate has one",
		"use "+SolverDNS01+", or remove "+ControllerAPISIX+" from ingress.controllers")
	a.addIf(len(a.given.DNS01) > 0, a.keyPath("dns01"), "",
		"is set, and certManager.acme.solver is "+SolverHTTP01,
		"set certManager.acme.solver: dns01, or remove it")
	a.addIf(len(a.given.Secrets) > 0, a.keyPath("secrets"), "",
		"are for dns01, and certManager.acme.solver is "+SolverHTTP01,
		"set certManager.acme.solver: dns01, or remove them")
}
