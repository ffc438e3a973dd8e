package config

import "slices"

// The values of ACMEIssuer.Solver.
const (
	// SolverHTTP01 answers at http://NAME/.well-known/acme-challenge/, through Traefik.
	SolverHTTP01 = "http01"
	// SolverDNS01 answers by a TXT record of _acme-challenge.NAME.
	SolverDNS01 = "dns01"
)

// ACMEIssuer configures the ACME server that signs, and how the stack proves that its names are its
// own.
type ACMEIssuer struct {
	// Server is the URL of the server's directory. There is no default. Try with Let's Encrypt's
	// staging first, https://acme-staging-v02.api.letsencrypt.org/directory. Then use
	// https://acme-v02.api.letsencrypt.org/directory, whose rate limits can lock a name out for a
	// week.
	Server string `json:"server,omitempty"`
	// Email receives the server's letters about the account. Default: none.
	Email string `json:"email,omitempty"`
	// CACertificate is the CA of the server's own TLS certificate, in PEM, for a private server.
	// Default: the public CAs.
	CACertificate string `json:"caCertificate,omitempty"`
	// Root is the CA to which the issued certificates lead, in PEM, if it is not a public CA. That
	// is a private server's CA, or that of Let's Encrypt's staging. The gates trust it, and it is
	// the output caCertificate. Default: the public CAs, and no such output.
	Root string `json:"root,omitempty"`
	// ExternalAccount binds the account to one that the CA has given out. Default: none.
	ExternalAccount ACMEExternalAccount `json:"eab,omitzero"`
	// Solver is http01 or dns01; empty means http01. http01 goes through Traefik. It needs a DNS
	// record for each served name, and port 80 open to the server. It gets no wildcard.
	Solver string `json:"solver,omitempty" enum:"http01,dns01"`
	// DNS01 is the configuration of one solver of cert-manager, as in spec.acme.solvers[].dns01 of
	// an issuer (https://cert-manager.io/docs/configuration/acme/dns01/). Required for solver
	// dns01.
	DNS01 DNS01Solver `json:"dns01,omitempty"`
	// Secrets hold the values that dns01 refers to. They become Secrets of namespace cert-manager.
	// Default: none.
	Secrets []ACMESecret `json:"secrets,omitempty"`
}

// DNS01Solver is the configuration of a solver of cert-manager, which this program passes on
// unchanged.
type DNS01Solver map[string]any

// ACMEExternalAccount is a customer's account at a CA, for ACME (RFC 8555, section 7.3.4).
type ACMEExternalAccount struct {
	// KeyID names the key.
	KeyID string `json:"keyID,omitempty"`
	// Key is the key as the CA gives it, in base64url, with or without padding. It must be
	// encrypted: pulumi config set --secret --path strata:certManager.acme.eab.key.
	Key string `json:"key,omitempty"`
}

// ACMESecret is a key of a Secret.
type ACMESecret struct {
	// Name is the Secret's name, as dns01 refers to it. Required.
	Name string `json:"name"`
	// Key is the name of the value within the Secret. Required.
	Key string `json:"key"`
	// Value must be encrypted: pulumi config set --secret --path
	// 'strata:certManager.acme.secrets[0].value'. Required.
	Value string `json:"value"`
}

// HTTP01 reports whether names are proved through the ingress. If so, the ingress must answer
// before there is a certificate.
func (c *Config) HTTP01() bool {
	return c.CertManager.Issuer == IssuerACME && c.CertManager.ACME.Solver == SolverHTTP01
}

// TraefikNames returns the names of Traefik's certificate: the domain and, by a wildcard, all names
// below it. HTTP-01 proves no wildcard. With it, the names are those of Strata's own services
// behind Traefik.
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
