package scaffold

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// on returns a host with addresses "INTERFACE ADDRESS/BITS" and routes "NETWORK DEVICE". The user
// named its first address.
func on(addresses []string, routes ...string) Host {
	host := Host{}
	for i, text := range addresses {
		name, prefix, _ := strings.Cut(text, " ")
		one := Interface{name, netip.MustParsePrefix(prefix)}
		if i == 0 {
			host.Address = one.Address.Addr()
			host.Asked = Asked{"root", one.Address.Addr().String(), 22}
		}
		host.Facts.Interfaces = append(host.Facts.Interfaces, one)
	}
	for _, text := range routes {
		to, device, _ := strings.Cut(text, " ")
		network, err := parseNetwork(to)
		if err != nil {
			panic(err) // a wrong literal in a test
		}
		host.Facts.Routes = append(host.Facts.Routes, Route{To: network, Device: device})
	}
	return host
}

func TestSubnetMustContainEveryHost(t *testing.T) {
	behindNAT := on([]string{"eth0 10.0.0.12/24"})
	behindNAT.Address, behindNAT.Asked.Address = netip.MustParseAddr("192.0.2.9"), "192.0.2.9"
	for _, test := range []struct {
		name  string
		hosts []Host
		want  string
		wrong []string
	}{
		{"one host", []Host{on([]string{"eth0 10.0.0.11/24"})}, "10.0.0.0/24", nil},
		{"several interfaces: that of the login",
			[]Host{on([]string{"eth1 10.0.0.11/24", "eth0 192.0.2.11/24"}),
				on([]string{"ens3 10.0.0.12/24"})},
			"10.0.0.0/24", nil},
		{"two networks",
			[]Host{on([]string{"eth0 10.0.0.11/24"}), on([]string{"eth0 10.0.1.12/24"}),
				on([]string{"eth0 10.0.2.13/24"})}, "",
			[]string{"10.0.1.12:22: is on 10.0.1.0/24 (eth0), and 10.0.0.11 is on 10.0.0.0/24",
				"10.0.2.13:22: is on 10.0.2.0/24"}},
		{"two lengths of one prefix",
			[]Host{on([]string{"eth0 10.0.0.11/24"}), on([]string{"eth0 10.0.0.12/16"})}, "",
			[]string{"is on 10.0.0.0/16 (eth0)"}},
		{"an address of NAT", []Host{behindNAT}, "",
			[]string{
				"expected 192.0.2.9 on one of its interfaces, found eth0 10.0.0.12/24; name an " +
					"address of the host's own"}},
		{"a host with a network of its own", []Host{on([]string{"eth0 10.0.0.11/32"})}, "",
			[]string{"expected a network of /29 or larger on eth0, found 10.0.0.11/32"}},
		{"the smallest allowed network", []Host{on([]string{"eth0 10.0.0.11/29"})}, "10.0.0.8/29", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, problems := subnet(test.hosts)
			require.Len(t, problems, len(test.wrong))
			for i, text := range test.wrong {
				assert.Contains(t, problems[i].Error(), text)
			}
			if test.want != "" {
				assert.Equal(t, test.want, found.String())
			}
		})
	}
}

func TestClusterCIDRsAvoidHostNetworks(t *testing.T) {
	own := []string{"eth0 192.168.1.11/24"}
	for _, test := range []struct {
		name    string
		hosts   []Host
		want    string
		clashes []string
	}{
		{"K3s's own", []Host{on(own, "default eth0", "192.168.1.0/24 eth0")},
			"10.42.0.0/16 10.43.0.0/16", nil},
		{"a route into one of them", []Host{on(own), on(own, "10.43.7.0/24 wg0")},
			"10.42.0.0/16 10.44.0.0/16", []string{"10.43.7.0/24 of 192.168.1.11 (wg0)"}},
		{"all of 10.0.0.0/8 behind a VPN", []Host{on(own, "10.0.0.0/8 tun0")},
			"172.16.0.0/16 172.17.0.0/16", []string{"10.0.0.0/8 of 192.168.1.11 (tun0)"}},
		{"Docker's network as well",
			[]Host{on(append(own, "docker0 172.17.0.1/16"), "10.0.0.0/8 tun0")},
			"172.16.0.0/16 172.18.0.0/16", []string{"10.0.0.0/8 of 192.168.1.11 (tun0)"}},
		{"all private networks but the carriers'",
			[]Host{on(own, "10.0.0.0/8 tun0", "172.16.0.0/12 tun0", "100.64.0.3 ts0")},
			"100.65.0.0/16 100.66.0.0/16", []string{"10.0.0.0/8 of 192.168.1.11 (tun0)"}},
		{"the nodes' network overlaps K3s's own", []Host{on([]string{"eth0 10.42.0.11/24"})},
			"10.43.0.0/16 10.44.0.0/16", []string{"10.42.0.0/24 of 10.42.0.11 (eth0)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			networks, problem := clusterNetworks(test.hosts)
			require.Nil(t, problem)
			assert.Equal(t, test.want, networks.Pods.String()+" "+networks.Services.String())
			var clashes []string
			for _, one := range networks.Clashes {
				clashes = append(clashes, one.String())
			}
			assert.Equal(t, test.clashes, clashes)
		})
	}
	_, problem := clusterNetworks([]Host{on(own, "10.0.0.0/8 tun0", "172.16.0.0/12 tun0",
		"100.64.0.0/10 ts0")})
	require.NotNil(t, problem)
	assert.Contains(t, problem.Error(), "no two networks of the private address space are left")
}

func TestFlannelInterfaceIsSetOnlyIfDefaultRouteIsElsewhere(t *testing.T) {
	private := on([]string{"eth1 10.0.0.11/24", "eth0 192.0.2.11/24"}, "default eth0")
	for _, test := range []struct {
		name   string
		hosts  []Host
		want   string
		differ bool
	}{
		{"the default route is on the nodes' network",
			[]Host{on([]string{"eth0 10.0.0.11/24"}, "default eth0"),
				on([]string{"ens3 10.0.0.12/24"}, "default ens3")}, "", false},
		{"the default route is on another network", []Host{private, private}, "eth1", false},
		{"default route elsewhere on one host", []Host{on([]string{"eth1 10.0.0.12/24"}, "default eth1"), private},
			"eth1", false},
		{"no default route", []Host{on([]string{"eth1 10.0.0.12/24"})}, "", false},
		{"names differ", []Host{private, on([]string{"ens4 10.0.0.12/24"}, "default ens3")},
			"", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			name, differ := flannelInterface(test.hosts)
			assert.Equal(t, test.want, name)
			assert.Equal(t, test.differ, differ)
		})
	}
}
