package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

const (
	server1 = `{"name":"server-1","role":"server","address":"10.10.0.11"}`
	agent1  = `{"name":"agent-1","role":"agent","address":"10.10.0.21"}`
)

// hosts is the section with driver existing and these nodes.
func hosts(nodes ...string) map[string]string {
	return map[string]string{
		"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[` + strings.Join(nodes, ",") + `]}`,
	}
}

// machines is the section with driver machine and further keys.
func machines(keys string) map[string]string {
	return map[string]string{"hosts": `{"driver":"machine","subnet":"10.10.0.0/24",` + keys + `"nodes":[` + server1 + `]}`}
}

// one is a section on its own.
// both is the good configuration with two sections changed.
func both(first, firstText, second, secondText string) map[string]string {
	raw := one(first, firstText)
	raw[second] = secondText
	return raw
}

func one(section, text string) map[string]string { return map[string]string{section: text} }

// node is server-1 with further keys.
func node(keys string) map[string]string {
	return hosts(`{"name":"server-1","role":"server","address":"10.10.0.11",` + keys + `}`)
}

func pool(ranges ...string) map[string]string {
	return one("metallb", `{"addresses":["`+strings.Join(ranges, `","`)+`"]}`)
}

// rules has every rule: what is changed in a good configuration, and the only line of the error.
var rules = []struct {
	name   string
	change map[string]string
	want   string
}{
	// Reading.
	{"an unknown section", one("metalb", `{}`), "strata:metalb: is not a known section; did you mean metallb?"},
	{"a section that resembles none", one("zzzzzz", `{}`),
		"strata:zzzzzz: is not a known section; known are argocd, artifacts, certManager, crds, hosts, ingress, k3s, metallb, timeouts, traefik, vault"},
	{"a misspelt key", one("k3s", `{"versoin":"v1"}`), "strata:k3s.versoin: is not a known key; did you mean version?"},
	{"a misspelt key in a list", node(`"adress":"10.10.0.12"`),
		"strata:hosts.nodes[0].adress: is not a known key; did you mean address?"},
	{"a misspelt key two levels down", node(`"ssh":{"prot":22}`),
		"strata:hosts.nodes[0].ssh.prot: is not a known key; did you mean port?"},
	{"a key in other case", one("metallb", `{"Addresses":[]}`),
		"strata:metallb.Addresses: is not a known key; did you mean addresses?"},
	{"a text for a section", one("k3s", `v1.36.3+k3s1`),
		`strata:k3s: "v1.36.3+k3s1" is not an object; write its keys below it, indented`},
	{"a text for a list", one("metallb", `{"addresses":"10.10.0.200-10.10.0.210"}`),
		`strata:metallb.addresses: "10.10.0.200-10.10.0.210" is not a list; write each entry on a line of its own, after a dash`},
	{"a list for an object", node(`"labels":["a"]`),
		`strata:hosts.nodes[0].labels: ["a"] is not an object; write its keys below it, indented`},
	{"a text for a number", node(`"ssh":{"port":"ssh"}`), `strata:hosts.nodes[0].ssh.port: "ssh" is not a whole number`},
	{"a fraction for a whole number", node(`"ssh":{"port":22.5}`),
		`strata:hosts.nodes[0].ssh.port: 22.5 is not a whole number`},
	{"a number for a text", node(`"labels":{"zone":1}`), `strata:hosts.nodes[0].labels["zone"]: 1 is not a text`},
	{"a text for a switch", one("k3s", `{"secretsEncryption":"yes"}`),
		`strata:k3s.secretsEncryption: "yes" is not true or false`},
	{"no duration", one("timeouts", `{"api":"5"}`), `strata:timeouts.api: "5" is not a duration, for example 5m`},
	{"no network", one("k3s", `{"clusterCIDR":"10.42.0.0"}`),
		`strata:k3s.clusterCIDR: "10.42.0.0" is not a network in CIDR form, for example 10.10.0.0/24`},
	{"no address", hosts(`{"name":"a","role":"server","address":"10.10.0.256"}`),
		`strata:hosts.nodes[0].address: "10.10.0.256" is not an IP address, for example 10.10.0.11`},

	// Hosts.
	{"no driver", one("hosts", `{"subnet":"10.10.0.0/24","nodes":[`+server1+`]}`),
		"strata:hosts.driver: is not set; set existing or machine"},
	{"an unknown driver", one("hosts", `{"driver":"machines","subnet":"10.10.0.0/24","nodes":[`+server1+`]}`),
		"strata:hosts.driver: machines is not a known driver; did you mean machine?"},
	{"an unknown architecture", machines(`"arch":"amd65",`),
		"strata:hosts.arch: amd65 is not an architecture that K3s is fetched for; did you mean amd64?"},
	{"no subnet", one("hosts", `{"driver":"existing","nodes":[`+server1+`]}`),
		"strata:hosts.subnet: is not set; set the network of the nodes and the load balancer, for example 10.10.0.0/24"},
	{"a subnet with host bits", one("hosts", `{"driver":"existing","subnet":"10.10.0.5/24","nodes":[`+server1+`]}`),
		"strata:hosts.subnet: 10.10.0.5/24 has bits set behind its prefix; write 10.10.0.0/24"},
	{"machine keys on existing hosts", one("hosts",
		`{"driver":"existing","subnet":"10.10.0.0/24","machine":{"bridge":"br7"},"nodes":[`+server1+`]}`),
		"strata:hosts.machine: is only read by driver machine; remove it or set driver: machine"},
	{"a bridge name that Linux refuses", machines(`"machine":{"bridge":"a-very-long-bridge"},`),
		"strata:hosts.machine.bridge: a-very-long-bridge is not an interface name; " +
			"use a letter, then at most 14 letters, digits, dots, dashes or underscores"},
	{"a gateway outside the subnet", machines(`"machine":{"gateway":"10.11.0.1"},`),
		"strata:hosts.machine.gateway: 10.11.0.1 is not a host address of hosts.subnet 10.10.0.0/24; " +
			"use an address inside it, neither the first nor the last"},
	{"a key file for machines", machines(`"ssh":{"keyFile":"key"},`),
		"strata:hosts.ssh.keyFile: key is not read: driver machine generates its own key; remove it"},
	{"a key file for one machine", one("hosts", `{"driver":"machine","subnet":"10.10.0.0/24","nodes":[
		{"name":"a","role":"server","address":"10.10.0.11","ssh":{"keyFile":"key"}}]}`),
		"strata:hosts.nodes[0].ssh.keyFile: key is not read: driver machine generates its own key; remove it"},
	{"a host key for machines", machines(`"ssh":{"hostKey":"` + hostKey + `"},`),
		"strata:hosts.ssh.hostKey: is not read: driver machine generates the host keys; remove it"},
	{"a port beyond TCP's", node(`"ssh":{"port":70000}`),
		"strata:hosts.nodes[0].ssh.port: 70000 is not a TCP port; use 1 to 65535"},
	{"a user name with a space", node(`"ssh":{"user":"the admin"}`),
		"strata:hosts.nodes[0].ssh.user: the admin is not a user name; use lower case letters, digits, dashes and underscores"},
	{"no host key", node(`"ssh":{"hostKey":"ssh-ed25519 AAAA"}`),
		"strata:hosts.nodes[0].ssh.hostKey: is not one public key; " +
			"copy one line of the host's /etc/ssh/ssh_host_ed25519_key.pub"},

	// Nodes.
	{"no nodes", hosts(), "strata:hosts.nodes: is empty; add at least one node with role: server"},
	{"no server", hosts(agent1), "strata:hosts.nodes: has no server; give one node role: server"},
	{"two servers", hosts(server1, `{"name":"server-2","role":"server","address":"10.10.0.12"}`),
		"strata:hosts.nodes: has 2 servers, and etcd needs an odd number for its quorum; use 1 or 3"},
	{"no name", hosts(`{"role":"server","address":"10.10.0.11"}`),
		"strata:hosts.nodes[0].name: is not set; give the node a unique name"},
	{"a name that is no DNS label", hosts(`{"name":"Server_1","role":"server","address":"10.10.0.11"}`),
		"strata:hosts.nodes[0].name: Server_1 is not a DNS label; " +
			"use at most 63 lower case letters, digits and dashes, with a letter or digit at both ends"},
	{"a name twice", hosts(server1, `{"name":"server-1","role":"agent","address":"10.10.0.21"}`),
		"strata:hosts.nodes[1].name: server-1 is also the name of hosts.nodes[0]; give each node its own name"},
	{"no role", hosts(server1, `{"name":"a","address":"10.10.0.21"}`),
		"strata:hosts.nodes[1].role: is not set; set server or agent"},
	{"an unknown role", hosts(server1, `{"name":"a","role":"agnet","address":"10.10.0.21"}`),
		"strata:hosts.nodes[1].role: agnet is not a known role; did you mean agent?"},
	{"no address at all", hosts(`{"name":"a","role":"server"}`),
		"strata:hosts.nodes[0].address: is not set; give the node's address in hosts.subnet"},
	{"an address outside the subnet", hosts(`{"name":"a","role":"server","address":"10.11.0.11"}`),
		"strata:hosts.nodes[0].address: 10.11.0.11 is not a host address of hosts.subnet 10.10.0.0/24; " +
			"use an address inside it, neither the first nor the last"},
	{"the broadcast address", hosts(`{"name":"a","role":"server","address":"10.10.0.255"}`),
		"strata:hosts.nodes[0].address: 10.10.0.255 is not a host address of hosts.subnet 10.10.0.0/24; " +
			"use an address inside it, neither the first nor the last"},
	{"the gateway's address", one("hosts", `{"driver":"machine","subnet":"10.10.0.0/24","nodes":[
		{"name":"a","role":"server","address":"10.10.0.1"}]}`),
		"strata:hosts.nodes[0].address: 10.10.0.1 is the gateway's address, hosts.machine.gateway; give the node another address"},
	{"an address twice", hosts(server1, `{"name":"agent-1","role":"agent","address":"10.10.0.11"}`),
		"strata:hosts.nodes[1].address: 10.10.0.11 is also the address of hosts.nodes[0]; give each node its own address"},
	{"a label that a kubelet must not set", node(`"labels":{"node-role.kubernetes.io/worker":"true"}`),
		`strata:hosts.nodes[0].labels["node-role.kubernetes.io/worker"]: is a label that a kubelet must not set: ` +
			"K3s would not start; use a prefix of your own, or label the Node after it has registered"},
	{"a taint without effect", node(`"taints":["dedicated=db"]`),
		"strata:hosts.nodes[0].taints[0]: dedicated=db is not a taint; " +
			"write key=value:Effect, for example dedicated=db:NoSchedule"},
	{"a taint with a misspelt effect", node(`"taints":["dedicated=db:NoShedule"]`),
		"strata:hosts.nodes[0].taints[0]: dedicated=db:NoShedule has no known effect; did you mean NoSchedule?"},

	// K3s.
	{"a K3s version without revision", one("k3s", `{"version":"v1.36.3"}`),
		"strata:k3s.version: v1.36.3 is not of the form vX.Y.Z+k3sN; " +
			"write a release tag of K3s, for example " + config.K3sVersion},
	{"Pods and Services in one network", one("k3s", `{"clusterCIDR":"10.43.0.0/17"}`),
		"strata:k3s.serviceCIDR: 10.43.0.0/16 overlaps k3s.clusterCIDR 10.43.0.0/17; choose separate networks"},
	{"Services in the nodes' network", one("k3s", `{"serviceCIDR":"10.10.0.64/26"}`),
		"strata:k3s.serviceCIDR: 10.10.0.64/26 overlaps hosts.subnet 10.10.0.0/24; choose separate networks"},
	{"an IPv6 Pod network", one("k3s", `{"clusterCIDR":"fd00::/56"}`),
		"strata:k3s.clusterCIDR: fd00::/56 is not IPv4: the gates count IPv4 addresses; use an IPv4 network"},
	{"an unknown packaged component", one("k3s", `{"disable":["servicelb","treafik"]}`),
		"strata:k3s.disable[1]: treafik is not a packaged component of K3s; did you mean traefik?"},
	{"a certificate name with a port", one("k3s", `{"tlsSANs":["api.example.org:6443"]}`),
		"strata:k3s.tlsSANs[0]: api.example.org:6443 is neither an IP address nor a DNS name; " +
			"write the name alone, without scheme or port"},
	{"an interface that Linux refuses", one("k3s", `{"flannelInterface":"eth 0"}`),
		"strata:k3s.flannelInterface: eth 0 is not an interface name; write it as `ip link` shows it"},
	{"a key of K3s that Strata owns", one("k3s", `{"serverArgs":{"node-ip":"10.10.0.9"}}`),
		`strata:k3s.serverArgs["node-ip"]: belongs to Strata; use hosts.nodes`},
	{"an owned key that appends", one("k3s", `{"serverArgs":{"disable+":["coredns"]}}`),
		`strata:k3s.serverArgs["disable+"]: belongs to Strata; use k3s.disable`},
	{"an owned key for agents", one("k3s", `{"agentArgs":{"token":"hunter2"}}`),
		`strata:k3s.agentArgs["token"]: belongs to Strata; Strata generates the token`},
	{"a flag with dashes", one("k3s", `{"serverArgs":{"--debug":true}}`),
		`strata:k3s.serverArgs["--debug"]: is not a key of K3s's config.yaml; write the long flag's name, without dashes before it`},
	{"a nested value for K3s", one("k3s", `{"serverArgs":{"kubelet-arg":{"max-pods":50}}}`),
		`strata:k3s.serverArgs["kubelet-arg"]: is neither a value nor a list of values; K3s's config.yaml has no nested keys`},

	// The layers above.
	{"a Gateway API that is no release", one("crds", `{"gatewayAPIVersion":"1.6"}`),
		"strata:crds.gatewayAPIVersion: 1.6 is not of the form vX.Y.Z; write a release tag, for example " + config.GatewayAPIVersion},
	{"an issuer that resembles one", one("certManager", `{"issuer":"valut"}`),
		`strata:certManager.issuer: valut is not a known issuer; did you mean vault?`},
	{"a Vault for nobody", one("certManager", `{"vault":{"address":"https://vault.example.org:8200"}}`),
		"strata:certManager.vault: is set, and certManager.issuer is selfSigned; set certManager.issuer: vault, or remove certManager.vault"},
	{"a Vault without TLS", one("certManager", `{"issuer":"vault","vault":{"address":"http://vault.example.org:8200"}}`),
		"strata:certManager.vault.address: is not an https URL without user; write it as https://vault.example.org:8200"},
	{"a Vault without address", one("certManager", `{"issuer":"vault","vault":{"role":"strata"}}`),
		"strata:certManager.vault.address: is empty, and other keys of certManager.vault are set; name the existing Vault; the stack's own Vault needs none of them"},
	{"a path that signs nothing", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","path":"pki"}}`),
		"strata:certManager.vault.path: pki is not of the form MOUNT/sign/ROLE; write for example pki_int/sign/strata"},
	{"two logins", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","token":"hunter2","role":"strata"}}`),
		"strata:certManager.vault.token: and the keys of the Kubernetes login (role, mount) exclude each other; remove the token, or the others"},
	{"an authority that is none", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","caCertificate":"hunter2"}}`),
		"strata:certManager.vault.caCertificate: is not a certificate in PEM; paste the file that begins with -----BEGIN CERTIFICATE-----"},
	{"a Vault that is switched off and needed", map[string]string{"certManager": `{"issuer":"vault"}`, "vault": `{"enabled":false}`}, "strata:vault.enabled: false leaves certManager.issuer vault without a Vault; enable it, or set certManager.vault.address"},
	{"no size at all", one("vault", `{"storage":{"size":"lots"}}`),
		"strata:vault.storage.size: lots is not a size of storage; write for example 1Gi"},
	{"a class for no volume", one("vault", `{"storage":{"persistent":false,"class":"fast"}}`),
		"strata:vault.storage.class: fast is set, and vault.storage.persistent is false; remove one of them"},
	{"no webhook at all", one("certManager", `{"replicas":-1}`),
		"strata:certManager.replicas: -1 is less than one; use 1 or more"},
	{"an unknown ingress controller", one("ingress", `{"controllers":["treafik"]}`),
		"strata:ingress.controllers[0]: treafik is not a known ingress controller; did you mean traefik?"},
	{"one controller twice", one("ingress", `{"controllers":["traefik","traefik"]}`),
		"strata:ingress.controllers[1]: traefik is there twice; remove one"},
	{"a domain that is none", one("ingress", `{"domain":"Example.org"}`),
		"strata:ingress.domain: Example.org is not a DNS domain; " +
			"use lower-case letters, digits, dashes and dots, for example staging.example.org"},
	{"Traefik without certificates", both("ingress", `{"controllers":["traefik"]}`, "certManager", `{"enabled":false}`),
		"strata:ingress.controllers: traefik needs certificates, and certManager.enabled is false; " +
			"enable cert-manager, or set ingress.controllers: []"},
	{"Traefik without a load balancer", both("ingress", `{"controllers":["traefik"]}`, "metallb", `{"enabled":false}`),
		"strata:ingress.controllers: traefik needs a load balancer, and metallb.enabled is false; " +
			"enable MetalLB, or set ingress.controllers: []"},
	{"Traefik beside K3s's", one("k3s", `{"disable":["servicelb"]}`),
		"strata:k3s.disable: leaves K3s's own Traefik on, which would own the same resource definitions and IngressClass; " +
			"add traefik to k3s.disable, or set ingress.controllers: []"},
	{"an address that MetalLB does not have", one("traefik", `{"address":"10.10.0.99"}`),
		"strata:traefik.address: 10.10.0.99 is in none of metallb.addresses 10.10.0.200-10.10.0.210; " +
			"choose one of them, or leave the key out"},
	{"a request for a day", one("traefik", `{"longestRequest":"24h"}`),
		"strata:traefik.longestRequest: 24h0m0s is not between 1s and 1h0m0s; use the longest time that a request may take, for example 30s"},
	{"Argo CD without a way in", both("ingress", `{"controllers":[]}`, "argocd", `{"enabled":true}`),
		"strata:argocd.enabled: true needs an ingress controller, and ingress.controllers is empty; " +
			"add traefik to ingress.controllers, or set argocd.enabled: false"},
	{"a password where its hash belongs", one("argocd", `{"adminPasswordHash":"hunter2"}`),
		`strata:argocd.adminPasswordHash: is not a bcrypt hash; make one: htpasswd -nbBC 10 "" PASSWORD | tr -d ':\n'`},
	{"a root application without a repository", one("argocd", `{"root":{"path":"apps"}}`),
		"strata:argocd.root.repoURL: is empty, and other keys of argocd.root are set; name the repository, or remove argocd.root"},
	{"a repository that is none", one("argocd", `{"root":{"repoURL":"platform"}}`),
		"strata:argocd.root.repoURL: is not a Git URL by https, http or ssh; " +
			"write it as git clone takes it, for example https://git.example.org/platform.git"},
	{"a password in the URL", one("argocd", `{"root":{"repoURL":"https://me:hunter2@git.example.org/p.git"}}`),
		"strata:argocd.root.repoURL: holds a user or a password; set argocd.root.username, and argocd.root.password as a secret"},
	{"a path out of the repository", one("argocd", `{"root":{"repoURL":"https://git.example.org/p.git","path":"../x"}}`),
		"strata:argocd.root.path: ../x leads out of the repository; write a path relative to its top, for example apps"},
	{"a user without a password", one("argocd", `{"root":{"repoURL":"https://git.example.org/p.git","username":"me"}}`),
		"strata:argocd.root.password: and username go together, and one is empty; set both, or none"},
	{"no Traefik at all", one("traefik", `{"replicas":-1}`),
		"strata:traefik.replicas: -1 is less than one; use 2 or more, so that one can go while another serves"},

	// MetalLB.
	{"no addresses for Services", one("metallb", `{}`),
		"strata:metallb.addresses: is empty; give at least one range inside hosts.subnet, for example 10.10.0.200-10.10.0.210"},
	{"MetalLB beside servicelb", one("k3s", `{"disable":["traefik"]}`),
		"strata:k3s.disable: leaves K3s's servicelb on, which would fight MetalLB over every Service; " +
			"add servicelb to k3s.disable, or set metallb.enabled: false"},
	{"a chart version that is none", one("metallb", `{"addresses":["10.10.0.200/29"],"chartVersion":"latest"}`),
		"strata:metallb.chartVersion: latest is not a chart version; write X.Y.Z, for example " + config.MetalLBChartVersion},
	{"a range that is none", pool("10.10.0.200..210"),
		"strata:metallb.addresses[0]: 10.10.0.200..210 is not an address range; " +
			"write first-last or CIDR, for example 10.10.0.200-10.10.0.210"},
	{"a range backwards", pool("10.10.0.210-10.10.0.200"),
		"strata:metallb.addresses[0]: 10.10.0.210-10.10.0.200 is not an address range; " +
			"write first-last or CIDR, for example 10.10.0.200-10.10.0.210"},
	{"a range outside the subnet", pool("10.11.0.200-10.11.0.210"),
		"strata:metallb.addresses[0]: 10.11.0.200-10.11.0.210 lies outside hosts.subnet 10.10.0.0/24, " +
			"where nobody would answer for it; choose a range inside it"},
	{"a range with the broadcast address", pool("10.10.0.248/29"),
		"strata:metallb.addresses[0]: 10.10.0.248/29 holds the network or broadcast address of hosts.subnet 10.10.0.0/24; leave both out"},
	{"a range over a node", pool("10.10.0.20-10.10.0.30"),
		"strata:metallb.addresses[0]: 10.10.0.20-10.10.0.30 overlaps node agent-1 (10.10.0.21); choose a range that nothing else uses"},
	{"ranges over each other", pool("10.10.0.200-10.10.0.210", "10.10.0.208/30"),
		"strata:metallb.addresses[1]: 10.10.0.208/30 overlaps metallb.addresses entry 10.10.0.200-10.10.0.210 (number 1); " +
			"choose a range that nothing else uses"},

	// The rest.
	{"a timeout of nothing", one("timeouts", `{"api":"0s"}`),
		"strata:timeouts.api: 0s is too short to wait for anything; use at least 1s, for example 5m"},
	{"a negative timeout", one("timeouts", `{"host":"-5m"}`),
		"strata:timeouts.host: -5m0s is too short to wait for anything; use at least 1s, for example 5m"},
	{"an absurd timeout", one("timeouts", `{"nodes":"10h"}`),
		"strata:timeouts.nodes: 10h0m0s is longer than 2h0m0s; use a shorter time, for example 10m"},
	{"an empty source", one("artifacts", `{"source":" "}`),
		"strata:artifacts.source: is empty; set upstream, or the path of a bundle folder"},
	{"a URL as source", one("artifacts", `{"source":"https://example.org/bundle"}`),
		"strata:artifacts.source: https://example.org/bundle is a URL; " +
			"set upstream, or the path of a bundle folder on this machine"},
}

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGLBFXKfTDEUfdMClKcSBE8wSUzUuUQTwAcPqmxTNcKp"

func TestEachRuleGivesOneLineWithKeyValueRuleAndFix(t *testing.T) {
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			raw := good()
			for section, text := range rule.change {
				raw[section] = text
			}
			_, err := config.Load("dev", raw, noEnv)
			require.Error(t, err)
			assert.Equal(t, rule.want, err.Error())
		})
	}
}

func TestRulesAcrossSectionsSeeTheMachinesGateway(t *testing.T) {
	raw := machines("")
	raw["metallb"] = `{"addresses":["10.10.0.1-10.10.0.5"]}`
	_, err := config.Load("dev", raw, noEnv)
	assert.EqualError(t, err, "strata:metallb.addresses[0]: 10.10.0.1-10.10.0.5 overlaps hosts.machine.gateway 10.10.0.1; "+
		"choose a range that nothing else uses")
}

func TestAPoolOverThePodNetworkIsNamed(t *testing.T) {
	raw := good()
	raw["metallb"] = `{"addresses":["10.42.0.0/24"]}`
	_, err := config.Load("dev", raw, noEnv)
	assert.ErrorContains(t, err, "overlaps k3s.clusterCIDR 10.42.0.0/16")
	raw["metallb"] = `{"addresses":["10.43.7.1-10.43.7.9"]}`
	_, err = config.Load("dev", raw, noEnv)
	assert.ErrorContains(t, err, "overlaps k3s.serviceCIDR 10.43.0.0/16")
}

func TestEveryMistakeIsReportedAtOnceSortedByKey(t *testing.T) {
	_, err := config.Load("dev", map[string]string{
		"timeouts": `{"apii":"1m"}`,
		"hosts":    `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[` + agent1 + `,` + agent1 + `]}`,
		"metallb":  `{"addresses":["10.9.0.0/24"]}`,
		"k3s":      `{"version":"1.36","disable":[]}`,
	}, noEnv)
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	assert.Len(t, lines, 8)
	assert.True(t, slices.IsSorted(lines), err.Error())
	for _, line := range lines {
		assert.Regexp(t, `^strata:[a-z0-9]+\.`, line)
	}
}

func TestAMistakeIsAProblemWithItsParts(t *testing.T) {
	raw := good()
	raw["k3s"] = `{"version":"1.36"}`
	_, err := config.Load("dev", raw, noEnv)
	var problem config.Problem
	require.True(t, errors.As(err, &problem))
	assert.Equal(t, "strata:k3s.version", problem.Key)
	assert.Equal(t, "1.36", problem.Value)
}

func TestWhatCannotBeReadRaisesNoFalseAlarmsInItsSection(t *testing.T) {
	raw := good()
	raw["metallb"] = `{"adresses":["10.10.0.200-10.10.0.210"]}`
	_, err := config.Load("dev", raw, noEnv)
	assert.EqualError(t, err, "strata:metallb.adresses: is not a known key; did you mean addresses?")
}

func TestGoodSettingsPass(t *testing.T) {
	cases := map[string]map[string]string{
		"three servers": hosts(server1, `{"name":"server-2","role":"server","address":"10.10.0.12"}`,
			`{"name":"server-3","role":"server","address":"10.10.0.13"}`),
		"labels and taints": node(`"labels":{"topology.kubernetes.io/zone":"a","node.kubernetes.io/x":"","own/b":"c"},
			"taints":["dedicated=db:NoSchedule","gpu:NoExecute","a.b/c=:PreferNoSchedule"]`),
		"a pinned host key": node(`"ssh":{"hostKey":"` + hostKey + ` root@server-1"}`),
		"certificate names": one("k3s", `{"tlsSANs":["api.example.org","10.0.0.1","fd00::1"]}`),
		"further arguments": one("k3s", `{"serverArgs":{"kubelet-arg":["max-pods=50"],"debug":true,"v":3,"kubelet-arg+":"a=b"}}`),
		"two ranges":        pool("10.10.0.200-10.10.0.207", "10.10.0.208/30"),
		"servicelb alone": {
			"k3s": `{"disable":["traefik"]}`, "metallb": `{"enabled":false}`,
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			raw := good()
			for section, text := range change {
				raw[section] = text
			}
			_, err := config.Load("dev", raw, noEnv)
			assert.NoError(t, err)
		})
	}
}
