package issuer

import "strata/health"

// Kind gates a cert-manager Issuer or ClusterIssuer: it must be Ready at its newest generation.
const Kind health.Kind = "issuer"

// Spec names a cert-manager issuer.
type Spec struct {
	Name string `json:"name"`
	// Namespace is the namespace of an Issuer; empty means a ClusterIssuer.
	Namespace string `json:"namespace,omitempty"`
	// CA is the CA that the issuer must sign with; nil means any CA.
	CA *CA `json:"ca,omitempty"`
}

// CA names the Secret of an issuer's CA, and the CA that it must contain.
type CA struct {
	// Secret is namespace/name of the Secret, whose tls.crt is the CA.
	Secret string `json:"secret"`
	// Certificate is the CA that the stack has recorded and that clients trust, in PEM.
	Certificate string `json:"certificate"`
	// Accepted is strata:certManager.acceptedCA, the required beginning of the CA's fingerprint.
	// Empty: any.
	Accepted string `json:"accepted,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Name != "", "issuer.name: empty")
	if s.CA != nil {
		need(s.CA.Secret != "", "issuer.ca.secret: empty")
		need.NamespacedName("issuer.ca.secret", s.CA.Secret)
	}
}
