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

// stagingServer is the host of Let's Encrypt's staging server. letsEncrypt is the domain of all its
// servers.
const stagingServer, letsEncrypt = "acme-staging-v02.api.letsencrypt.org", ".letsencrypt.org"

// reservedDomains are top-level domains below which no public CA signs: RFC 6761, RFC 6762, RFC
// 8375, and ICANN's internal.
var reservedDomains = []string{"test", "example", "invalid", "localhost", "local",
	"internal", "arpa"}

// acmeCheck holds the state that the rules about ACME share.
type acmeCheck struct {
	*problems
	c     *Config
	given ACMEIssuer
}

// keyPath returns the path of a key.
func (a acmeCheck) keyPath(name string) string { return field("certManager.acme.%s", name) }

// checkACME checks the ACME issuer. It never shows a secret, nor an address that may contain a
// password.
func (c *Config) checkACME(ps *problems) {
	check := acmeCheck{ps, c, c.CertManager.ACME}
	if c.CertManager.Issuer != IssuerACME {
		if !reflect.ValueOf(check.given).IsZero() {
			ps.add(field("certManager.acme"), "",
				"is set, and certManager.issuer is "+c.CertManager.Issuer,
				"set certManager.issuer: acme, or remove certManager.acme")
		}
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

// host returns the server's host; empty for an invalid URL.
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

// trust checks the two CAs. It also checks that this server's CA may sign for the domain.
func (a acmeCheck) trust() {
	for name, text := range map[string]string{"caCertificate": a.given.CACertificate, "root": a.given.Root} {
		if block, _ := pem.Decode([]byte(text)); text != "" &&
			(block == nil || block.Type != "CERTIFICATE") {
			a.add(a.keyPath(name), "", "is not a certificate in PEM",
				"paste the file that begins with -----BEGIN CERTIFICATE-----")
		}
	}
	if a.host() == stagingServer && a.given.Root == "" {
		a.add(a.keyPath("root"), "", "is empty, and no client trusts what the staging server issues",
			"paste the root from https://letsencrypt.org/docs/staging-environment/, for the gates")
	}
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
	if (external.KeyID == "") != (external.Key == "") {
		a.add(a.keyPath("eab"), "", "has a keyID or a key, and not both",
			"set the other one as well: the CA gives both")
	}
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
	if !a.c.Ingress.Uses(ControllerTraefik) {
		a.add(a.keyPath("solver"), SolverHTTP01,
			"needs Traefik, and ingress.controllers is "+list(a.c.Ingress.Controllers),
			"add "+ControllerTraefik+" to ingress.controllers, or use "+SolverDNS01)
	}
	if a.c.Ingress.Uses(ControllerAPISIX) {
		a.add(a.keyPath("solver"), SolverHTTP01, "gets no wildcard, and APISIX's certificate has one",
			"use "+SolverDNS01+", or remove "+ControllerAPISIX+" from ingress.controllers")
	}
	if len(a.given.DNS01) > 0 {
		a.add(a.keyPath("dns01"), "", "is set, and certManager.acme.solver is "+SolverHTTP01,
			"set certManager.acme.solver: dns01, or remove it")
	}
	if len(a.given.Secrets) > 0 {
		a.add(a.keyPath("secrets"), "", "are for dns01, and certManager.acme.solver is "+SolverHTTP01,
			"set certManager.acme.solver: dns01, or remove them")
	}
}

// plainACME refuses plain secrets: they would be in the repository, and in Pulumi's record of each
// update.
func (d *decoder) plainACME(given ACMEIssuer) (ps problems) {
	if !d.isPlain("certManager") {
		return nil
	}
	ps.addPlain(field("certManager.acme.eab.key"), given.ExternalAccount.Key)
	for i, secret := range given.Secrets {
		ps.addPlain(field("certManager.acme.secrets[%d].value", i), secret.Value)
	}
	return ps
}
