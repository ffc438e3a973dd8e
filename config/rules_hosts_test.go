package config_test

// hostsRules are cases for the hosts as a whole.
var hostsRules = []rule{
	{"no driver", one("hosts", `{"subnet":"10.10.0.0/24","nodes":[`+server1+`]}`),
		"strata:hosts.driver: is not set; set existing, libvirt, proxmox; or name a cluster that " +
			"is there already: cluster.context"},
	{"an unknown driver, whose logins cannot be judged", one("hosts",
		`{"driver":"promox","subnet":"10.10.0.0/24","ssh":{"jump":[{"host":"a"}]},"nodes":[`+
			server1+`]}`),
		"strata:hosts.driver: promox is not a known driver; did you mean proxmox?"},
	{"an unknown architecture", machines(`"arch":"amd65",`),
		"strata:hosts.arch: amd65 is not an architecture that K3s is fetched for; did you mean amd64?"},
	{"no subnet", one("hosts", `{"driver":"existing","nodes":[`+server1+`]}`),
		"strata:hosts.subnet: is not set; set the network of the nodes and the load balancer, " +
			"for example 10.10.0.0/24"},
	{"a subnet with host bits", one("hosts",
		`{"driver":"existing","subnet":"10.10.0.5/24","nodes":[`+server1+`]}`),
		"strata:hosts.subnet: 10.10.0.5/24 has bits set behind its prefix; write 10.10.0.0/24"},
	{"a key file for machines", machines(`"ssh":{"keyFile":"key"},`),
		"strata:hosts.ssh.keyFile: key is not read: driver proxmox generates its own key; remove it"},
	{"a key file for one machine", one("hosts", madeHosts+`"nodes":[
		{"name":"a","role":"server","address":"10.10.0.11","ssh":{"keyFile":"key"}}]}`),
		"strata:hosts.nodes[0].ssh.keyFile: key is not read: driver proxmox generates its own key; remove it"},
	{"a host key for machines", machines(`"ssh":{"hostKey":"` + hostKey + `"},`),
		"strata:hosts.ssh.hostKey: is not read: driver proxmox generates the host keys; remove it"},
	{"a host key for one machine", one("hosts", madeHosts+`"nodes":[{"name":"a","role":"server",
		"address":"10.10.0.11","ssh":{"hostKey":"`+hostKey+`"}}]}`),
		"strata:hosts.nodes[0].ssh.hostKey: is not read: driver proxmox generates the host keys; remove it"},
	{"a port beyond TCP's", node(`"ssh":{"port":70000}`),
		"strata:hosts.nodes[0].ssh.port: 70000 is not a TCP port; use 1 to 65535"},
	{"a user name with a space", node(`"ssh":{"user":"the admin"}`),
		"strata:hosts.nodes[0].ssh.user: the admin is not a user name; use letters, digits and _ - . @ + $ \\"},
	{"a user name that only a directory service has, for machines", machines(`"ssh":{"user":"john.doe"},`),
		"strata:hosts.ssh.user: john.doe is not a user name; use lower case letters, digits, " +
			"dashes and underscores"},
	{"a malformed host key", node(`"ssh":{"hostKey":"ssh-ed25519 AAAA"}`),
		"strata:hosts.nodes[0].ssh.hostKey: is not one public key; " +
			"copy one line of the host's /etc/ssh/ssh_host_ed25519_key.pub"},
	{"a jump host for machines", machines(`"ssh":{"jump":[{"host":"a"}]},`),
		"strata:hosts.ssh.jump: is only read by driver existing; remove it: the hosts that " +
			"driver proxmox makes are reached without it"},
	{"an ssh-agent for one machine", one("hosts", madeHosts+`"nodes":[
		{"name":"a","role":"server","address":"10.10.0.11","ssh":{"agent":true}}]}`),
		"strata:hosts.nodes[0].ssh.agent: is only read by driver existing; remove it: the hosts " +
			"that driver proxmox makes are reached without it"},
	{"an ssh_config for machines", machines(`"ssh":{"config":"~/.ssh/config"},`),
		"strata:hosts.ssh.config: is only read by driver existing; remove it: the hosts that " +
			"driver proxmox makes are reached without it"},
	{"a known_hosts for machines", machines(`"ssh":{"knownHosts":"~/.ssh/known_hosts"},`),
		"strata:hosts.ssh.knownHosts: is only read by driver existing; remove it: the hosts that " +
			"driver proxmox makes are reached without it"},
	{"a sudo password for machines", machines(`"ssh":{"sudoPassword":"x","user":"ops"},`),
		"strata:hosts.ssh.sudoPassword: is only read by driver existing; remove it: the hosts " +
			"that driver proxmox makes are reached without it"},
	{"a passphrase for machines", machines(`"ssh":{"passphrase":"x"},`),
		"strata:hosts.ssh.passphrase: is only read by driver existing; remove it: the hosts that " +
			"driver proxmox makes are reached without it"},
	{"a jump host written as USER@HOST",
		node(`"ssh":{"jump":[{"host":"me@bastion","hostKey":"` + hostKey + `"}]}`),
		"strata:hosts.nodes[0].ssh.jump[0].host: me@bastion is not an address or a name; write " +
			"host, and user and port as keys of their own"},
	{"a jump host's port beyond TCP's", node(
		`"ssh":{"jump":[{"host":"bastion","port":70000,"hostKey":"` + hostKey + `"}]}`),
		"strata:hosts.nodes[0].ssh.jump[0].port: 70000 is not a TCP port; use 1 to 65535"},
	{"a jump host's user with a space", node(
		`"ssh":{"jump":[{"host":"bastion","user":"the admin","hostKey":"` + hostKey + `"}]}`),
		"strata:hosts.nodes[0].ssh.jump[0].user: the admin is not a user name; use letters, digits and _ - . @ + $ \\"},
	{"a jump host without a host key", node(`"ssh":{"jump":[{"host":"bastion"}]}`),
		"strata:hosts.nodes[0].ssh.jump[0].hostKey: is not set, and a jump host is trusted at no first contact; " +
			"copy one line of its /etc/ssh/ssh_host_ed25519_key.pub, or name a file that has it: ssh.knownHosts"},
	{"a tunnel for machines", machines(`"ssh":{"dynamicForward":1080},`),
		"strata:hosts.ssh.dynamicForward: is only read by driver existing; remove it: the hosts " +
			"that driver proxmox makes are reached without it"},
	{"a tunnel of one node", node(`"ssh":{"dynamicForward":1080}`),
		"strata:hosts.nodes[0].ssh.dynamicForward: 1080 is one for all hosts; set strata:hosts.ssh.dynamicForward"},
	{"a tunnel without a jump host", one("hosts",
		`{"driver":"existing","subnet":"10.10.0.0/24","ssh":{"dynamicForward":1080},"nodes":[`+
			server1+`]}`),
		"strata:hosts.ssh.dynamicForward: 1080 leads through a jump host, and there is none; set " +
			"ssh.jump, or remove it"},
	{"a tunnel at a privileged port", one("hosts",
		`{"driver":"existing","subnet":"10.10.0.0/24","ssh":{"dynamicForward":80,"jump":[{"host":"bastion","hostKey":"`+hostKey+`"}]},"nodes":[`+server1+`]}`),
		"strata:hosts.ssh.dynamicForward: 80 is a port of the system's or none; use 1024 to 65535"},
	{"a jump host with a malformed host key", node(
		`"ssh":{"jump":[{"host":"bastion","hostKey":"ssh-ed25519 AAAA"}]}`),
		"strata:hosts.nodes[0].ssh.jump[0].hostKey: is not one public key; copy one line of the " +
			"host's /etc/ssh/ssh_host_ed25519_key.pub"},
	{"a sudo password for root", node(`"ssh":{"sudoPassword":"x"}`),
		"strata:hosts.nodes[0].ssh.sudoPassword: is not used: root needs no sudo; remove it, or set ssh.user"},
	{"a sudo password of two lines", node(`"ssh":{"user":"ops","sudoPassword":"x\ny"}`),
		"strata:hosts.nodes[0].ssh.sudoPassword: has more than one line, and sudo reads one; set " +
			"it again, without the line break"},
}

// nodesRules are cases for each node.
var nodesRules = []rule{
	{"no nodes", hosts(), "strata:hosts.nodes: is empty; add at least one node with role: server"},
	{"no server", hosts(agent1), "strata:hosts.nodes: has no server; give one node role: server"},
	{"two servers", hosts(server1, `{"name":"server-2","role":"server","address":"10.10.0.12"}`),
		"strata:hosts.nodes: has 2 servers, and etcd needs an odd number for its quorum; use 1 or 3"},
	{"no name", hosts(`{"role":"server","address":"10.10.0.11"}`),
		"strata:hosts.nodes[0].name: is not set; give the node a unique name"},
	{"a name that is no DNS label", hosts(
		`{"name":"Server_1","role":"server","address":"10.10.0.11"}`),
		"strata:hosts.nodes[0].name: Server_1 is not a DNS label; " +
			"use at most 63 lower case letters, digits and dashes, with a letter or digit at both ends"},
	{"two nodes of one name", hosts(server1, `{"name":"server-1","role":"agent","address":"10.10.0.21"}`),
		"strata:hosts.nodes[1].name: server-1 is also the name of hosts.nodes[0]; give each node its own name"},
	{"no role", hosts(server1, `{"name":"a","address":"10.10.0.21"}`),
		"strata:hosts.nodes[1].role: is not set; set server or agent"},
	{"an unknown role", hosts(server1, `{"name":"a","role":"agnet","address":"10.10.0.21"}`),
		"strata:hosts.nodes[1].role: agnet is not a known role; did you mean agent?"},
	{"no address", hosts(`{"name":"a","role":"server"}`),
		"strata:hosts.nodes[0].address: is not set; give the node's address in hosts.subnet"},
	{"an address outside the subnet", hosts(`{"name":"a","role":"server","address":"10.11.0.11"}`),
		"strata:hosts.nodes[0].address: 10.11.0.11 is not a host address of hosts.subnet 10.10.0.0/24; " +
			"use an address inside it, neither the first nor the last"},
	{"the broadcast address", hosts(`{"name":"a","role":"server","address":"10.10.0.255"}`),
		"strata:hosts.nodes[0].address: 10.10.0.255 is not a host address of hosts.subnet 10.10.0.0/24; " +
			"use an address inside it, neither the first nor the last"},
	{"the gateway's address", one("hosts", madeHosts+`"nodes":[
		{"name":"a","role":"server","address":"10.10.0.1"}]}`),
		"strata:hosts.nodes[0].address: 10.10.0.1 is the gateway's address, hosts.vm.gateway; " +
			"give the node another address"},
	{"two nodes at one address", hosts(server1, `{"name":"agent-1","role":"agent","address":"10.10.0.11"}`),
		"strata:hosts.nodes[1].address: 10.10.0.11 is also the address of hosts.nodes[0]; give " +
			"each node its own address"},
	{"a label that a kubelet must not set",
		node(`"labels":{"node-role.kubernetes.io/worker":"true"}`),
		`strata:hosts.nodes[0].labels["node-role.kubernetes.io/worker"]: is a label that a kubelet must not set: ` +
			"K3s would not start; use a prefix of your own, or label the Node after it has registered"},
	{"a taint without effect", node(`"taints":["dedicated=db"]`),
		"strata:hosts.nodes[0].taints[0]: dedicated=db is not a taint; " +
			"write key=value:Effect, for example dedicated=db:NoSchedule"},
	{"a taint with a misspelt effect", node(`"taints":["dedicated=db:NoShedule"]`),
		"strata:hosts.nodes[0].taints[0]: dedicated=db:NoShedule has no known effect; did you mean NoSchedule?"},
}
