package pool

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"strata/health/healthtest"
)

func TestConfigurationStateCountsOnlyIfNewerThanPool(t *testing.T) {
	meta := func(version string, spec, status int64) metav1.ObjectMeta {
		m := metav1.ObjectMeta{ResourceVersion: version, CreationTimestamp: metav1.Unix(1, 0)}
		specTime, statusTime := metav1.Unix(spec, 0), metav1.Unix(status, 0)
		m.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &specTime},
			{Time: &statusTime, Subresource: "status"}, {Subresource: "status"}}
		return m
	}
	after := func(state, other metav1.ObjectMeta) bool {
		return (&stateObject{ObjectMeta: state}).isNewerThan(other)
	}
	assert.True(t, after(meta("20", 1, 5), meta("19", 100, 0)),
		"a later write is newer whatever the clocks say")
	assert.False(t, after(meta("19", 100, 5), meta("20", 100, 0)),
		"the state's own specification does not count")
	assert.True(t, after(meta("19", 1, 100), meta("20", 100, 500)), "nor the pool's status")
	assert.True(t, after(meta("19", 1, 99), meta("20", 100, 0)), "times are in seconds")
	assert.False(t, after(meta("19", 1, 98), meta("20", 100, 0)))
	assert.False(t, after(meta("19", 1, 98), meta("19", 100, 0)))
	assert.False(t, after(meta("x", 1, 98), meta("1", 100, 0)))
	assert.False(t, after(meta("99", 1, 98), meta("x", 100, 0)))
	created := metav1.ObjectMeta{ResourceVersion: "5", CreationTimestamp: metav1.Unix(100, 0)}
	assert.False(t, after(metav1.ObjectMeta{ResourceVersion: "4"}, created),
		"a state without a status")
	assert.True(t, after(meta("4", 1, 100), created),
		"an object without managed fields has its creation")
}

func TestPoolFactsHaveSizeAndAddressCounts(t *testing.T) {
	assert.Equal(t, poolSeen{Missing: true}, (*poolObject)(nil).facts())
	p := healthtest.Decode[poolObject](t, `
metadata: {name: p, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {addresses: [10.0.0.0/30]}
status: {availableIPv4: 1, availableIPv6: 2, assignedIPv4: 3, assignedIPv6: 4}
`)
	assert.Equal(t, poolSeen{Deleting: true, Addresses: []string{"10.0.0.0/30"}, Counted: true,
		Available: 3, Assigned: 7, Size: 4}, p.facts())
	assert.Equal(t, poolSeen{Addresses: []string{"10.0.0.0/30"}, Size: 4},
		healthtest.Decode[poolObject](t, "spec: {addresses: [10.0.0.0/30]}").facts())
	assert.True(t, healthtest.Decode[poolObject](t, "spec: {autoAssign: false}").facts().Named)
	assert.False(t, healthtest.Decode[poolObject](t, "spec: {autoAssign: true}").facts().Named)
	assert.False(t, healthtest.Decode[poolObject](t, "status: {availableIPv4: 1}").facts().Counted)
	assert.False(t, healthtest.Decode[poolObject](t, "status: {assignedIPv4: 1}").facts().Counted)
}

func TestL2AdvertisementCoversPoolByNameOrLabel(t *testing.T) {
	pool := metav1.ObjectMeta{Name: "default", Labels: map[string]string{"zone": "a"}}
	for text, announces := range map[string]bool{
		"spec: {}": true,
		"spec: {ipAddressPools: [spare, default]}":                                               true,
		"spec: {ipAddressPools: [spare]}":                                                        false,
		"spec: {ipAddressPoolSelectors: [{matchLabels: {zone: b}}, {matchLabels: {zone: a}}]}":   true,
		"spec: {ipAddressPoolSelectors: [{matchLabels: {zone: b}}]}":                             false,
		"spec: {ipAddressPoolSelectors: [{matchExpressions: [{key: zone, operator: Between}]}]}": false,
		"metadata: {deletionTimestamp: \"2026-01-01T00:00:00Z\"}":                                false,
	} {
		object := healthtest.Decode[announcementObject](t, text)
		assert.Equal(t, announces, object.announces(pool), text)
	}
}

func TestL2AdvertisementAnnouncesOnlyFromSelectedNodes(t *testing.T) {
	nodes := []labels.Set{{"zone": "a"}, {"zone": "b"}}
	for text, announces := range map[string]bool{
		"spec: {}": true,
		"spec: {nodeSelectors: [{matchLabels: {zone: c}}, {matchLabels: {zone: b}}]}":   true,
		"spec: {nodeSelectors: [{matchLabels: {zone: c}}]}":                             false,
		"spec: {nodeSelectors: [{matchExpressions: [{key: zone, operator: Between}]}]}": false,
	} {
		object := healthtest.Decode[announcementObject](t, text)
		assert.Equal(t, announces, object.suitsNode(nodes), text)
	}
}

func TestPoolFactsShowMissingOrLimitedAnnouncement(t *testing.T) {
	read := func(texts ...string) poolSeen {
		var all []announcementObject
		for _, text := range texts {
			all = append(all, *healthtest.Decode[announcementObject](t, text))
		}
		var seen poolSeen
		seen.setAnnouncement(all, []labels.Set{{"zone": "a"}})
		return seen
	}
	at := "spec: {interfaces: [eth7]}"
	elsewhere := "spec: {nodeSelectors: [{matchLabels: {zone: b}}]}"
	assert.Equal(t, poolSeen{Unannounced: true}, read())
	assert.Equal(t, poolSeen{Nodeless: true}, read(elsewhere))
	assert.Equal(t, poolSeen{}, read(elsewhere, "spec: {}"))
	assert.Equal(t, poolSeen{Interfaces: []string{"eth7"}}, read(elsewhere, at))
	assert.Equal(t, poolSeen{}, read(at, "spec: {}"), "another one announces at every interface")
}
