package config

import "regexp"

// CRDs configures the bundles of CRDs, which are a layer of their own.
type CRDs struct {
	// GatewayAPIVersion is the release of the Gateway API's standard channel, as vX.Y.Z. Default:
	// the bundle's version, or else the pin. A version older than the cluster's is refused.
	GatewayAPIVersion string `json:"gatewayAPIVersion,omitempty"`
	// Keep leaves CRDs in the cluster when their layer is removed from the configuration, and in an
	// existing cluster also when the stack is destroyed. It includes the CRDs in the charts of
	// cert-manager and Argo CD. Default true: deleting a CRD deletes every object of its kind.
	Keep *bool `json:"keep,omitempty"`
}

// releaseVersion is the form of the Gateway API's release tags.
var releaseVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

func (c *Config) checkCRDs(ps *problems) {
	if version := c.CRDs.GatewayAPIVersion; version != "" && !releaseVersion.MatchString(version) {
		ps.add(field("crds.gatewayAPIVersion"), version, "is not of the form vX.Y.Z",
			"write a release tag, for example "+GatewayAPIVersion)
	}
}
