package health

// CRDsSpec names custom resource definitions that must be served.
type CRDsSpec struct {
	// Names are the CRDs' names, plural.group.
	Names []string `json:"names"`
}
