package scaffold

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMixedArchitecturesAreReported(t *testing.T) {
	hosts := withMemory(1, 1, 1)
	hosts[0].Facts.Arch, hosts[1].Facts.Arch, hosts[2].Facts.Arch = "aarch64", "x86_64", "aarch64"
	hosts[1].Asked = Asked{"root", "10.0.0.12", 22}
	problems := systems(hosts)
	require.Len(t, problems, 1)
	assert.Equal(t,
		"10.0.0.12:22: is amd64, and hosts before it are arm64; name hosts of one architecture: "+
			"all nodes get the same files", problems[0].Error())
	hosts[1].Facts.Arch = ""
	assert.Contains(t, systems(hosts).Error(), "is of an unknown architecture")
}

// The section hosts.ssh of the stack file has the most common value.
func TestMostlyReturnsMostCommonOrElseFirstValue(t *testing.T) {
	hosts := withMemory(1, 1, 1)
	hosts[0].Asked.User, hosts[1].Asked.User, hosts[2].Asked.User = "root", "ada", "ada"
	assert.Equal(t, "ada", mostly(hosts, func(h Host) string { return h.Asked.User }))
	assert.Equal(t, "root", mostly(hosts[:2], func(h Host) string { return h.Asked.User }),
		"of as many, the first")
}

// A host with two networks has an address in each.
func TestHostNamedByTwoAddressesIsReported(t *testing.T) {
	first := netip.MustParseAddr("10.10.0.11")
	second := netip.MustParseAddr("10.20.0.11")
	other := netip.MustParseAddr("10.10.0.12")
	facts := Facts{Interfaces: []Interface{{"eth0", netip.PrefixFrom(first, 24)},
		{"eth1", netip.PrefixFrom(second, 24)}}}
	hosts := []Host{
		{Asked: Asked{Address: "10.10.0.11", Port: 22}, Address: first, Facts: facts},
		{Asked: Asked{Address: "10.10.0.12", Port: 22}, Address: other},
		{Asked: Asked{Address: "storage", Port: 22}, Address: second, Facts: facts},
	}
	assert.EqualError(t, twice(hosts),
		"storage:22: is the host that is also named as 10.10.0.11:22: it has the address 10.10.0.11; name it once")
	assert.Empty(t, twice(hosts[:2]))
}
