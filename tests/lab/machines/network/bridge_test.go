package network

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var testBridge = Bridge{Name: "strata0", Subnet: netip.MustParsePrefix("10.10.0.0/24"),
	Gateway: netip.MustParseAddr("10.10.0.1")}

func TestEveryRuleHasTheCommentOfItsBridge(t *testing.T) {
	for _, r := range testBridge.rules() {
		assert.Contains(t, strings.Join(r.argv("-I"), " "), "-m comment --comment strata:strata0 -j ")
	}
}

func TestOnlyTrafficThatLeavesTheBridgeIsMasqueraded(t *testing.T) {
	var nat []string
	for _, r := range testBridge.rules() {
		if r.table == "nat" {
			nat = append(nat, strings.Join(r.argv("-I"), " "))
		}
	}
	assert.Equal(t, []string{"iptables -w 10 -t nat -I POSTROUTING -s 10.10.0.0/24 ! -o strata0 " +
		"-m comment --comment strata:strata0 -j MASQUERADE"}, nat)
}

func TestSubnetThatOverlapsARouteIsRejected(t *testing.T) {
	for _, tc := range []struct{ name, routes, want string }{
		{"no routes", `[]`, ""},
		{"default route", `[{"dst":"default","dev":"eth0"}]`, ""},
		{"another network", `[{"dst":"10.11.0.0/16","dev":"eth0"}]`, ""},
		{"the bridge's own", `[{"dst":"10.10.0.0/24","dev":"strata0"}]`, ""},
		{"the same on another link", `[{"dst":"10.10.0.0/24","dev":"docker0"}]`, "route 10.10.0.0/24 dev docker0"},
		{"a wider network", `[{"dst":"10.0.0.0/8","dev":"tun0"}]`, "route 10.0.0.0/8 dev tun0"},
		{"one address", `[{"dst":"10.10.0.7","dev":"tun0"}]`, "route 10.10.0.7 dev tun0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := testBridge.routeCollision([]byte(tc.routes))
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestBridgeMACIsLocallyAdministeredAndStable(t *testing.T) {
	first, again := bridgeMAC("strata0"), bridgeMAC("strata0")
	assert.Equal(t, first, again)
	assert.NotEqual(t, bridgeMAC("strata0"), bridgeMAC("strata1"))
	assert.Regexp(t, `^02(:[0-9a-f]{2}){5}$`, bridgeMAC("strata0"))
}
