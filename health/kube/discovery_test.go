package kube

import (
	"testing"

	"github.com/stretchr/testify/assert"
	discoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/healthtest"
)

// A resource with the same name in another group or version does not count.
func TestResourceIsServedOnlyInItsGroupAndVersion(t *testing.T) {
	pool := ServedResource{"metallb.io", "v1beta1", "ipaddresspools"}
	aggregated := *healthtest.Decode[discoveryv2.APIGroupDiscoveryList](t, `items:
- {metadata: {name: other.io}, versions: [{version: v1beta1, resources: [{resource: ipaddresspools}]}]}
- {metadata: {name: metallb.io}, versions: [{version: v1, resources: [{resource: bgppeers}]}, {version: v1beta1, resources: [{resource: l2advertisements}, {resource: ipaddresspools}]}]}`)
	assert.True(t, hasResource(aggregated, pool))
	assert.False(t, hasResource(aggregated, ServedResource{"metallb.io", "v1", "ipaddresspools"}))
	assert.False(t, hasResource(aggregated, ServedResource{"other.io", "v1", "ipaddresspools"}))
	assert.False(t, hasResource(aggregated, ServedResource{"other.io", "v1beta1", "l2advertisements"}))
	groups := *healthtest.Decode[metav1.APIGroupList](t,
		`groups: [{name: other.io, versions: [{groupVersion: other.io/v1}]}, {name: metallb.io, versions: [{groupVersion: metallb.io/v1beta1}]}]`)
	assert.True(t, listedVersion(groups, pool),
		"a server of before 1.27 lists groups and versions alone")
	assert.False(t, listedVersion(groups, ServedResource{"metallb.io", "v1", "ipaddresspools"}))
}
