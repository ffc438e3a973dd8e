package health

// CRDsSpec names custom resource definitions that must be served.
type CRDsSpec struct {
	// Names are the CRDs' names, plural.group.
	Names []string `json:"names"`
}

// IssuerSpec names a cert-manager issuer.
type IssuerSpec struct {
	Name string `json:"name"`
	// Namespace is an Issuer's; empty means a ClusterIssuer.
	Namespace string `json:"namespace,omitempty"`
}
