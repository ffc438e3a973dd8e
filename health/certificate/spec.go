package certificate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// Kind gates a cert-manager Certificate: Ready, and its Secret holds a pair that
// clients can verify.
const Kind health.Kind = "certificate"

// Spec names a cert-manager Certificate and the requirements of its Secret.
type Spec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Secret is the Secret that the Certificate writes.
	Secret string `json:"secret"`
	// DNSNames are the names, or IP addresses, that the certificate must be valid for.
	DNSNames []string `json:"dnsNames,omitempty"`
	// MinRemaining is for how long it must be valid from now on, or a sixth of its life where that
	// is less. Zero: it only must not have expired.
	MinRemaining metav1.Duration `json:"minRemaining,omitzero"`
	// CASecret is namespace/name of the Secret whose ca.crt the chain must lead to: the issuer's,
	// which may have another CA than the one that it put into Secret, or put none there. Empty: the
	// chain leads to Secret's own ca.crt or, without one, to this machine's CAs.
	CASecret string `json:"caSecret,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Name != "" && s.Secret != "",
		"certificate: namespace, name or secret is empty")
	need(s.MinRemaining.Duration >= 0, "certificate.minRemaining: expected a duration that is "+
		"not negative, found %s", s.MinRemaining.Duration)
	need(!slices.Contains(s.DNSNames, ""), "certificate.dnsNames: one is empty")
	need.NamespacedName("certificate.caSecret", s.CASecret)
}
