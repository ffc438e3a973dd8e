package config

// CRDs configures the bundles of CRDs that are a layer of their own.
type CRDs struct {
	// GatewayAPIVersion is the release of the Gateway API's standard channel, as vX.Y.Z. Default:
	// the bundle's version, or else the pin. An older one than the cluster has is refused.
	GatewayAPIVersion string `json:"gatewayAPIVersion,omitempty"`
	// Keep leaves the definitions in the cluster when their layer leaves the configuration, and an
	// existing cluster with the stack; those of the charts of cert-manager and Argo CD as well.
	// Default true: deleting a definition deletes every object of its kind.
	Keep *bool `json:"keep,omitempty"`
}
