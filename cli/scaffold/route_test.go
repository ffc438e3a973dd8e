package scaffold

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With source-based routing, a host has a default route in several tables, and ip may list another
// table before main. K3s only uses table main.
func TestDefaultRouteOfOtherTableIsIgnored(t *testing.T) {
	facts, err := parseFacts(`os=x
addresses=[{"ifname":"eth0","addr_info":[{"local":"203.0.113.10","prefixlen":24}]},{"ifname":"eth1","addr_info":[{"local":"10.10.0.11","prefixlen":24}]}]
routes=[{"dst":"default","gateway":"10.10.0.1","dev":"eth1","table":"100"},{"dst":"default","gateway":"203.0.113.1","dev":"eth0"},{"dst":"10.10.0.0/24","dev":"eth1"}]
neighbours=[]
end
`)
	require.NoError(t, err)
	hosts := []Host{{Address: netip.MustParseAddr("10.10.0.11"), Facts: facts}}
	name, _ := flannelInterface(hosts)
	assert.Equal(t, "eth1", name)
	assert.Equal(t, []string{"203.0.113.1 on eth0"}, gateways(hosts))
}
