package certificate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// Kind gates a cert-manager Certificate: it must be Ready, and its Secret must have a certificate
// and key that clients can verify.
const Kind health.Kind = "certificate"

// Spec names a cert-manager Certificate and the requirements of its Secret.
type Spec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Secret is the Certificate's spec.secretName.
	Secret string `json:"secret"`
	// DNSNames are the names or IP addresses for which the certificate must be valid.
	DNSNames []string `json:"dnsNames,omitempty"`
	// MinRemaining is the time for which the certificate must still be valid. A sixth of its
	// lifetime is enough if that is less. Zero: the certificate only must not have expired.
	MinRemaining metav1.Duration `json:"minRemaining,omitzero"`
	// CASecret is namespace/name of the issuer's Secret, to whose ca.crt the chain must lead. The
	// ca.crt in Secret may be missing, or of the issuer's earlier CA. If CASecret is empty, the
	// chain must lead to Secret's own ca.crt or, without one, to this machine's CAs.
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
