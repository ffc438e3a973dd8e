package scaffold

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestFreeRangeIsLastRunOfFreeAddresses(t *testing.T) {
	for _, test := range []struct {
		name, subnet string
		taken        []string // ranges
		want         string
	}{
		{"an empty network keeps a margin at its end", "10.0.0.0/24", nil, "10.0.0.240-10.0.0.250"},
		{"the end of a large network", "10.0.0.0/16", nil, "10.0.255.240-10.0.255.250"},
		{"a device in the margin", "10.0.0.0/24", []string{"10.0.0.253-10.0.0.253"},
			"10.0.0.240-10.0.0.250"},
		{"a device in the range", "10.0.0.0/24", []string{"10.0.0.245-10.0.0.245"},
			"10.0.0.234-10.0.0.244"},
		{"a run that only just fits above the margin", "10.0.0.0/24",
			[]string{"10.0.0.1-10.0.0.243"},
			"10.0.0.244-10.0.0.254"},
		{"too little at the end", "10.0.0.0/24", []string{"10.0.0.200-10.0.0.244"},
			"10.0.0.189-10.0.0.199"},
		{"no run of eleven: the longest", "10.0.0.0/28",
			[]string{"10.0.0.1-10.0.0.5", "10.0.0.9-10.0.0.9"}, "10.0.0.10-10.0.0.14"},
		{"one address", "10.0.0.0/29", []string{"10.0.0.1-10.0.0.5"}, "10.0.0.6-10.0.0.6"},
		{"none", "10.0.0.0/29", []string{"10.0.0.1-10.0.0.6"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			network := netip.MustParsePrefix(test.subnet)
			taken := map[netip.Addr]bool{}
			for _, text := range test.taken {
				span, err := config.ParseRange(text)
				require.NoError(t, err)
				for at := span.First; span.Contains(at); at = at.Next() {
					taken[at] = true
				}
			}
			found, ok := freeRange(network, candidates(network, taken))
			require.Equal(t, test.want != "", ok)
			if ok {
				assert.Equal(t, test.want, found.String())
			}
		})
	}
}

func TestPoolCandidatesExcludeTakenAddresses(t *testing.T) {
	host := on([]string{"eth0 10.0.0.11/28", "eth0 10.0.0.12/28"})
	host.Facts.Routes = []Route{{To: everywhere, Gateway: netip.MustParseAddr("10.0.0.1"),
		Device: "eth0"}}
	host.Facts.Neighbours = []netip.Addr{netip.MustParseAddr("10.0.0.5")}
	var texts []string
	for _, address := range candidates(netip.MustParsePrefix("10.0.0.0/28"), takenBy([]Host{host})) {
		texts = append(texts, address.String())
	}
	assert.Equal(t,
		[]string{"10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.6", "10.0.0.7", "10.0.0.8", "10.0.0.9",
			"10.0.0.10", "10.0.0.13", "10.0.0.14"}, texts,
		"neither the network's nor the broadcast address, no host, gateway or neighbour")
	all := candidates(netip.MustParsePrefix("10.0.0.0/8"), nil)
	require.Len(t, all, maxProbes)
	assert.Equal(t, "10.255.255.254", all[maxProbes-1].String())
	assert.True(t, slices.IsSortedFunc(all, netip.Addr.Compare))
}
