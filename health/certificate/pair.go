package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"

	"strata/health"
	"strata/health/observe"
)

// pairFacts describes the certificate and key in a TLS Secret. It contains no part of the key.
type pairFacts struct {
	Missing bool `json:"missing,omitempty"`
	// Unread is true if the user may not read Secrets.
	Unread bool `json:"unread,omitempty"`
	// Lacks lists the keys of the Secret, such as tls.key, that are missing or empty.
	Lacks []string `json:"lacks,omitempty"`
	// Unusable says why certificate and key cannot be used, for example because they do not match.
	Unusable string `json:"unusable,omitempty"`
	// Uncovered are the wanted names for which the leaf certificate is not valid. Names are the DNS
	// names and IP addresses of the leaf.
	Uncovered []string `json:"uncovered,omitempty"`
	Names     []string `json:"names,omitempty"`
	// Chain says why the leaf cannot be verified with ca.crt or, without a ca.crt, with this
	// machine's CAs. Without a ca.crt, a self-signed leaf is valid.
	Chain string `json:"chain,omitempty"`
	// Bare is true if the Secret has no ca.crt.
	Bare bool `json:"bare,omitempty"`
	// NotBefore and NotAfter are the bounds of the leaf's validity. Early, Expired and Short
	// compare them with the present time and with Least, the time that must remain. Least is
	// MinRemaining, or less for a short-lived certificate.
	NotBefore string `json:"notBefore,omitempty"`
	NotAfter  string `json:"notAfter,omitempty"`
	Least     string `json:"least,omitempty"`
	Early     bool   `json:"early,omitempty"`
	Expired   bool   `json:"expired,omitempty"`
	Short     bool   `json:"short,omitempty"`
}

// sixth is the divisor for short-lived certificates: a sixth of the lifetime must remain, if that
// is less than MinRemaining.
const sixth = 6

// judgePair judges whether a client that trusts ca.crt accepts the certificate in the Secret.
func judgePair(spec Spec, c certificateSeen, p pairFacts) health.Verdict {
	v := health.Verdict{Check: "secret " + spec.Namespace + "/" + spec.Secret,
		State: health.Waiting}
	v.Hint = fmt.Sprintf("kubectl -n %s get secret %s -o jsonpath='{.data.tls\\.crt}' | base64 "+
		"-d | openssl x509 -noout -text", spec.Namespace, spec.Secret)
	switch {
	case p.Unread:
		return health.Verdict{Check: v.Check, State: health.Skipped,
			Message: "not read: needs get secrets"}
	case p.Missing:
		v.Message, v.Hint = "does not exist", "kubectl -n "+spec.Namespace+" get secrets"
	case len(p.Lacks) > 0:
		v.Message = "has no " + strings.Join(p.Lacks, ", ")
	case p.Unusable != "":
		v.Message = "certificate and key are no pair: " + p.Unusable
		v.Cause = "two writers: another Certificate, or a person, writes the same Secret"
	case p.Early:
		v.Message, v.Cause = "not valid before "+p.NotBefore, "the issuer's clock is ahead"
	case p.Expired:
		v.Message = "expired at " + p.NotAfter
		v.Cause = "it was not renewed: the issuer cannot issue, or cert-manager does not run"
	case len(p.Uncovered) > 0:
		judgeNames(&v, c, p)
	case p.Chain != "":
		judgeChain(&v, spec, c, p)
	case p.Short:
		v.Message = fmt.Sprintf("expires at %s, expected at least %s from now", p.NotAfter, p.Least)
		v.Cause = "it is due to be renewed"
	default:
		return health.Verdict{Check: v.Check, State: health.Ready}
	}
	return v
}

// judgeChain judges a certificate that cannot be verified with its CA.
func judgeChain(v *health.Verdict, spec Spec, c certificateSeen, p pairFacts) {
	root := "its ca.crt"
	v.Cause = "the CA was replaced, or the issuer leaves out intermediates"
	switch {
	case spec.CASecret != "":
		root = "ca.crt of Secret " + spec.CASecret
		v.Hint = fmt.Sprintf("put Secret %s back from a copy; or cmctl renew -n %s %s has it "+
			"issued by the CA that is there now, which its clients have to trust "+
			"(docs/troubleshooting.md, \"Another CA\"); %s",
			spec.CASecret, spec.Namespace, spec.Name, v.Hint)
	case p.Bare:
		root = "a CA that this machine trusts"
		v.Cause = "the CA is a private one, or one for trying out; with ACME, certManager.acme.root has to be it"
	}
	switch {
	case c.Outdated:
		v.Cause = causeOutdated
	case strings.Contains(p.Chain, "is not permitted by any constraint"): // crypto/x509
		v.Cause = "the CA was made with a certManager.nameConstraints that leaves this name out, and keeps it"
		v.Hint = "take the name back, or make a new CA, which everyone has to trust: " +
			"docs/config-changes.md, certManager.nameConstraints"
	}
	v.Message = "its chain does not lead to " + root + ": " + p.Chain
}

// judgeNames judges a certificate that lacks wanted names. If the Certificate's spec lacks a name
// too, waiting does not help.
func judgeNames(v *health.Verdict, c certificateSeen, p pairFacts) {
	v.Message = fmt.Sprintf("not valid for %s, only for %s", strings.Join(p.Uncovered, ", "),
		observe.OrNone(strings.Join(p.Names, ", ")))
	for _, name := range p.Uncovered {
		if !slices.Contains(c.Names, name) && !c.Missing {
			v.State = health.Stuck
			v.Cause = "the Certificate does not ask for " + name
			v.Hint = "add it to spec.dnsNames of the Certificate"
			return
		}
	}
	v.Cause = "it is of an earlier version of the Certificate"
}

// pairOf returns the facts about a Secret's data; nil data means that the Secret is missing.
func pairOf(data map[string][]byte, spec Spec, now time.Time) pairFacts {
	if data == nil {
		return pairFacts{Missing: true}
	}
	facts := pairFacts{Bare: len(data["ca.crt"]) == 0}
	for _, key := range []string{"tls.crt", "tls.key"} {
		if len(data[key]) == 0 {
			facts.Lacks = append(facts.Lacks, key)
		}
	}
	if len(facts.Lacks) > 0 {
		return facts
	}
	pair, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
	if err != nil {
		facts.Unusable = err.Error() // The error contains no part of the key.
		return facts
	}
	leaf := pair.Leaf
	facts.Names = leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		facts.Names = append(facts.Names, ip.String())
	}
	for _, name := range spec.DNSNames {
		if !slices.Contains(facts.Names, name) && leaf.VerifyHostname(name) != nil {
			facts.Uncovered = append(facts.Uncovered, name)
		}
	}
	facts.times(leaf, spec.MinRemaining.Duration, now)
	if err := verifyChain(pair.Certificate[1:], leaf, data["ca.crt"], now); err != nil {
		facts.Chain = err.Error()
	}
	return facts
}

func (p *pairFacts) times(leaf *x509.Certificate, least time.Duration, now time.Time) {
	p.NotBefore = leaf.NotBefore.UTC().Format(time.RFC3339)
	p.NotAfter = leaf.NotAfter.UTC().Format(time.RFC3339)
	p.Early, p.Expired = now.Before(leaf.NotBefore), now.After(leaf.NotAfter)
	// cert-manager renews when a third of the lifetime remains (pkg/util/pki RenewalTime). If the
	// CA signs for one day only, MinRemaining could never be met without this limit.
	least = min(least, leaf.NotAfter.Sub(leaf.NotBefore)/sixth)
	p.Least, p.Short = least.String(), now.Add(least).After(leaf.NotAfter)
}

// verifyChain verifies a leaf up to a CA. Without a CA, the leaf must be self-signed or lead to a
// CA that this machine trusts.
func verifyChain(between [][]byte, leaf *x509.Certificate, ca []byte, now time.Time) error {
	options := x509.VerifyOptions{Intermediates: x509.NewCertPool(), CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	for _, der := range between {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return fmt.Errorf("tls.crt: %w", err)
		}
		options.Intermediates.AddCert(certificate)
	}
	switch {
	case len(ca) > 0:
		options.Roots = x509.NewCertPool()
		for block, rest := pem.Decode(ca); block != nil; block, rest = pem.Decode(rest) {
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return fmt.Errorf("ca.crt: %w", err)
			}
			options.Roots.AddCert(certificate)
		}
	case leaf.CheckSignature(leaf.SignatureAlgorithm, leaf.RawTBSCertificate,
		leaf.Signature) == nil:
		return nil
	}
	_, err := leaf.Verify(options)
	return err //nolint:wrapcheck // it says what is wrong with which certificate.
}
