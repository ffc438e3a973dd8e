package preflight

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/health"
	"strata/health/host"
)

// guarded is a server with ports that another server and an agent must reach. all is the text of
// these ports in a message.
var (
	guarded = Host{Host: health.Host{Role: "server"}, Subnet: netip.MustParsePrefix("10.10.0.0/24"), Ports: []Port{
		{"tcp", 6443, []netip.Addr{netip.MustParseAddr("10.10.0.12"), netip.MustParseAddr("10.10.0.21")}},
		{"tcp", 2379, []netip.Addr{netip.MustParseAddr("10.10.0.12")}},
		{"udp", 8472, []netip.Addr{netip.MustParseAddr("10.10.0.12"), netip.MustParseAddr("10.10.0.21")}},
	}}
	all = "TCP 6443, 2379 and UDP 8472"
)

const (
	ufwOn = "Status: active\nLogging: on (low)\nDefault: deny (incoming), allow (outgoing), " +
		"disabled (routed)\nNew profiles: skip\n\n" +
		"To                         Action      From\n--                         ------      ----\n" +
		"22/tcp (OpenSSH)           ALLOW IN    Anywhere\n22/tcp (OpenSSH (v6))      ALLOW IN    Anywhere (v6)\n"
	zonePublic = "block\n  target: %%REJECT%%\n  interfaces: \n  ports: \n\ndocker (active)\n  " +
		"target: ACCEPT\n  interfaces: docker0\n  sources: \n" +
		"\npublic (default, active)\n  target: default\n  icmp-block-inversion: no\n  interfaces: eth0\n  sources: \n" +
		"  services: cockpit dhcpv6-client ssh\n  ports: \n  protocols: \n  forward: yes\n  rich rules: \n"
	iptablesOn = ":INPUT DROP [12:840]\n-A INPUT -i lo -j ACCEPT\n-A INPUT -m conntrack " +
		"--ctstate RELATED,ESTABLISHED -j ACCEPT\n" +
		"-A INPUT -p icmp -j ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n-A INPUT ! -s " +
		"10.9.0.0/16 -p tcp -m tcp --dport 80 -j ACCEPT\n"
	nftOn = "table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; " +
		"policy drop;\n\t\tiifname \"lo\" accept\n" +
		"\t\tct state vmap { established : accept, related : accept, invalid : drop }\n\t\tip " +
		"protocol icmp accept\n\t\ttcp dport { 22, 80 } accept\n" +
		"MORE\t}\n\tchain forward {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\taccept\n\t}\n}\n"
)

func TestFirewallWarningListsPortsClosedToNodes(t *testing.T) { //nolint:funlen // a table of cases
	for name, test := range map[string]struct {
		key, text string
		// closed is the text of the closed ports in the message; empty if no warning is expected.
		// fix is a part of the commands in the hint.
		closed, fix string
	}{
		"ufw": {"ufw", ufwOn, all, "ufw allow proto tcp from 10.10.0.0/24 to any " +
			"port 6443,2379 && ufw allow proto udp from 10.10.0.0/24 to any port 8472"},
		"ufw, some are open": {"ufw", ufwOn + "2379:2380,6443/tcp         ALLOW IN    " +
			"10.10.0.0/24\n", "UDP 8472", "ufw allow proto udp from"},
		"ufw, for one node": {"ufw",
			ufwOn + "Anywhere                   ALLOW IN    10.10.0.12\n", "TCP 6443 and UDP 8472",
			"any port 6443 &&"},
		"ufw, inactive": {"ufw", "Status: inactive\n", "", ""},
		"ufw, the subnet": {"ufw", ufwOn + "Anywhere                   ALLOW IN    " +
			"10.10.0.0/24              # nodes\n", "", ""},
		"ufw, the device": {"ufw", ufwOn + "Anywhere on eth1           ALLOW IN    Anywhere\n", "",
			""},
		"ufw, IPv6 alone": {"ufw", ufwOn + "Anywhere (v6)              ALLOW IN    Anywhere (v6)\n",
			all, ""},
		"ufw, both protocols": {"ufw", ufwOn + "6443                       ALLOW IN    " +
			"Anywhere\n2379/tcp  LIMIT IN  Anywhere\n8472/udp on eth0 ALLOW IN 10.0.0.0/8\n", "",
			""},
		"ufw, which allows": {"ufw", strings.ReplaceAll(ufwOn, "deny (incoming)",
			"allow (incoming)"), "", ""},

		"firewalld": {"firewalld", zonePublic, all, "firewall-cmd --permanent --zone=public " +
			"--add-port=6443/tcp --add-port=2379/tcp && " +
			"firewall-cmd --permanent --zone=public --add-port=8472/udp && firewall-cmd --reload"},
		"firewalld, ports": {"firewalld", strings.ReplaceAll(zonePublic,
			"ports: \n  prot", "ports: 2379-2380/tcp 6443/tcp 8472/udp\n  prot"), "", ""},
		"firewalld, a service": {"firewalld", strings.ReplaceAll(zonePublic, "ssh\n",
			"ssh kube-apiserver\n"), "TCP 2379 and UDP 8472", ""},
		"firewalld, a rich rule": {"firewalld", zonePublic + "\trule family=\"ipv4\" " +
			"source address=\"10.10.0.0/24\" accept\n", "", ""},
		"firewalld, of other hosts": {"firewalld", zonePublic + "\trule family=\"ipv4\" " +
			"source address=\"10.9.0.0/24\" accept\n", all, ""},
		"firewalld, of one service": {"firewalld", zonePublic + "\trule service name=\"http\" " +
			"accept\n", all, ""},
		"firewalld, of one port": {"firewalld", zonePublic + "\trule port port=\"8472\" " +
			"protocol=\"udp\" accept\n", "TCP 6443, 2379", ""},
		"firewalld, the nodes' zone": {"firewalld", zonePublic + "\ntrusted (active)\n  " +
			"target: ACCEPT\n  interfaces: \n  sources: 10.10.0.0/24\n", "", ""},
		"firewalld, a zone of a set": {"firewalld", zonePublic + "\ntrusted (active)\n  " +
			"target: ACCEPT\n  interfaces: \n  sources: ipset:nodes\n", "", ""},
		"firewalld, an unused zone": {"firewalld", zonePublic + "\ntrusted\n  target: " +
			"ACCEPT\n  interfaces: \n  sources: \n", all, ""},
		"firewalld, the default's rule": {"firewalld", strings.ReplaceAll(zonePublic,
			"(default, active)\n  target: default", "(default)\n  target: ACCEPT"), "", ""},

		"iptables": {"iptables", iptablesOn, all,
			"iptables -I INPUT -s 10.10.0.0/24 -p tcp -m multiport --dports 6443,2379 -j ACCEPT"},
		"iptables, which rejects last": {"iptables", strings.ReplaceAll(iptablesOn, "DROP",
			"ACCEPT") + "-A INPUT -j REJECT --reject-with icmp-host-prohibited\n", all, ""},
		"iptables, which accepts": {"iptables", strings.ReplaceAll(iptablesOn, "DROP", "ACCEPT") +
			"-A INPUT -p tcp -m tcp --dport 25 -j DROP\n", "", ""},
		"iptables, the subnet": {"iptables", iptablesOn + "-A INPUT -s 10.10.0.0/24 -j ACCEPT\n",
			"", ""},
		"iptables, the device": {"iptables", iptablesOn + "-A INPUT -i eth1 -j ACCEPT\n", "", ""},
		"iptables, a set": {"iptables", iptablesOn + "-A nodes -m set --match-set nodes src " +
			"-j ACCEPT\n", "", ""},
		"iptables, some": {"iptables", iptablesOn + "-A INPUT -s 10.10.0.0/24 -p tcp -m " +
			"multiport --dports 2379:2380,6443 -m state --state NEW -j ACCEPT\n", "UDP 8472", ""},

		"nftables": {"nft", strings.ReplaceAll(nftOn, "MORE", ""), all,
			"nft 'insert rule inet filter input ip saddr 10.10.0.0/24 tcp dport { 6443, 2379 } " +
				"accept' && nft 'insert rule"},
		"nftables, which rejects last": {"nft", strings.NewReplacer("policy drop", "policy accept",
			"MORE", "\t\tcounter packets 1 bytes 60 reject with icmpx admin-prohibited\n").Replace(
			nftOn), all, ""},
		"nftables, which accepts": {"nft", strings.NewReplacer("policy drop", "policy accept",
			"MORE", "").Replace(nftOn), "", ""},
		"nftables, the subnet": {"nft", strings.ReplaceAll(nftOn, "MORE",
			"\t\tip saddr { 10.10.0.0/24, 10.11.0.1 } accept\n"), "", ""},
		"nftables, a set": {"nft", strings.ReplaceAll(nftOn, "MORE",
			"\t\tip saddr @nodes tcp dport @ports accept\n\t\tudp dport 8472 accept\n"), "", ""},
		"nftables, a map": {"nft", strings.ReplaceAll(nftOn, "MORE",
			"\t\ttcp dport vmap { 6443 : accept, 2379-2380 : accept }\n"), "UDP 8472", ""},
		"nftables, new ones by device": {"nft", strings.ReplaceAll(nftOn, "MORE",
			"\t\tiifname \"eth1\" ct state { established, new } accept\n"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := judgeFirewall(guarded, host.Block{
				test.key: strings.Split(test.text, "\n"), "firewalld_default": {"public"},
				"firewalld_service": {
					`/usr/lib/firewalld/services/kube-apiserver.xml:<port protocol="tcp" port="6443"/>`},
			})
			assert.Equal(t, health.Ready, v.State, "it fails nothing")
			if test.closed == "" {
				assert.Empty(t, v.Hint, v.Message)
				return
			}
			assert.True(t, strings.HasSuffix(v.Message, " reach "+test.closed), v.Message)
			assert.Contains(t, v.Hint, test.fix)
			assert.Contains(t, v.Hint, "UDP ports cannot be tried before K3s listens")
		})
	}
}

func TestNoFirewallWarningWithoutFirewallOrForSingleNode(t *testing.T) {
	assert.Empty(t, judgeFirewall(guarded, host.Block{}).Hint, "no firewall is seen")
	assert.Empty(t, judgeFirewall(Host{}, host.Block{"ufw": strings.Split(ufwOn, "\n")}).Hint,
		"a host alone is reached by none")
}

func TestRequiredPortsDependOnRoleBackendAndMetalLB(t *testing.T) {
	load := func(k3s, metallb string) *config.Config {
		cfg, err := config.Load("test", map[string]string{
			"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","arch":"amd64","nodes":[{"name":"server-1","role":"server","address":"10.10.0.11"},
				{"name":"agent-1","role":"agent","address":"10.10.0.21"},{"name":"agent-2","role":"agent","address":"10.10.0.22"}]}`,
			"k3s": k3s, "metallb": metallb, "ingress": `{"controllers":[]}`,
			"argocd": `{"enabled":false}`, "certManager": `{"enabled":false}`,
		}, func(string) string { return "" })
		require.NoError(t, err)
		return cfg
	}
	ports := func(cfg *config.Config, node int) string { return listPorts(portsOf(cfg, cfg.Hosts.Nodes[node])) }
	vxlan := load(`{}`, `{"addresses":["10.10.0.200-10.10.0.210"]}`)
	assert.Equal(t, "TCP 6443, 10250, 7946 and UDP 8472, 7946", ports(vxlan, 0), "etcd has no other member")
	assert.Equal(t, "TCP 10250, 7946 and UDP 8472, 7946", ports(vxlan, 1))
	wireguard := load(`{"serverArgs":{"flannel-backend":"wireguard-native"}}`, `{"enabled":false}`)
	assert.Equal(t, "TCP 10250 and UDP 51820", ports(wireguard, 1))
	assert.Equal(t, "TCP 10250", ports(load(`{"serverArgs":{"flannel-backend":"host-gw"}}`, `{"enabled":false}`), 1))
	assert.Len(t, portsOf(vxlan, vxlan.Hosts.Nodes[0])[0].From, 2)
}
