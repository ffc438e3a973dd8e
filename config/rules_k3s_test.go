package config_test

import "strata/config"

// k3sRules are cases for the cluster.
var k3sRules = []rule{
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
	{"another port of the API",
		one("k3s", `{"serverArgs":{"apiserver-port":6444,"supervisor-port":9345}}`),
		`strata:k3s.serverArgs["apiserver-port"]: belongs to Strata; the gates expect K3s's default` + "\n" +
			`strata:k3s.serverArgs["supervisor-port"]: belongs to Strata; the gates expect K3s's default`},
	{"an owned key that appends", one("k3s", `{"serverArgs":{"disable+":["coredns"]}}`),
		`strata:k3s.serverArgs["disable+"]: belongs to Strata; use k3s.disable`},
	{"an owned key for agents", one("k3s", `{"agentArgs":{"token":"hunter2"}}`),
		`strata:k3s.agentArgs["token"]: belongs to Strata; Strata generates the token`},
	{"an owned key by its short flag", one("k3s", `{"serverArgs":{"d":"/srv/k3s","t":"mine"}}`),
		`strata:k3s.serverArgs["d"]: is another name of data-dir, which belongs to Strata; the gates expect K3s's default` + "\n" +
			`strata:k3s.serverArgs["t"]: is another name of token, which belongs to Strata; Strata generates the token`},
	{"an owned key by its short flag, for agents",
		one("k3s", `{"agentArgs":{"s+":"https://10.0.0.1:6443"}}`),
		`strata:k3s.agentArgs["s+"]: is another name of server, which belongs to Strata; ` +
			`Strata decides which server bootstraps and which join`},
	{"a misspelt flag", one("k3s", `{"serverArgs":{"flanel-backend":"host-gw"}}`),
		`strata:k3s.serverArgs["flanel-backend"]: is no key of a K3s server ` + config.K3sVersion +
			`; did you mean flannel-backend?`},
	{"a misspelt flag that appends", one("k3s", `{"agentArgs":{"kublet-arg+":["v=2"]}}`),
		`strata:k3s.agentArgs["kublet-arg+"]: is no key of a K3s agent ` + config.K3sVersion +
			`; did you mean kubelet-arg?`},
	{"a misspelt flag that Strata owns", one("k3s", `{"serverArgs":{"node-labels":["a=b"]}}`),
		`strata:k3s.serverArgs["node-labels"]: is no key of a K3s server ` + config.K3sVersion +
			`; if node-label is meant, that belongs to Strata: use hosts.nodes`},
	{"an option of the API server", one("k3s", `{"serverArgs":{"audit-log-maxage":30}}`),
		`strata:k3s.serverArgs["audit-log-maxage"]: is no key of a K3s server ` +
			config.K3sVersion +
			`; k3s server --help has the names; an option of the API server is written as kube-apiserver-arg: [NAME=VALUE]`},
	{"a server's flag for agents", one("k3s",
		`{"version":"`+config.K3sVersion+`","agentArgs":{"flannel-backend":"host-gw"}}`),
		`strata:k3s.agentArgs["flannel-backend"]: is no key of a K3s agent ` + config.K3sVersion +
			`; only servers take it: write it into k3s.serverArgs`},
	{"a flag with dashes", one("k3s", `{"serverArgs":{"--debug":true}}`),
		`strata:k3s.serverArgs["--debug"]: is not a key of K3s's config.yaml; write the long flag's name, without dashes before it`},
	{"a nested value for K3s", one("k3s", `{"serverArgs":{"kubelet-arg":{"max-pods":50}}}`),
		`strata:k3s.serverArgs["kubelet-arg"]: is neither a value nor a list of values; K3s's config.yaml has no nested keys`},
	{"owned settings of kubelet", one("k3s",
		`{"agentArgs":{"kubelet-arg":["hostname-override=x","--node-ip=1.2.3.4"],"kubelet-arg+":"node_labels+=a=b"}}`),
		`strata:k3s.agentArgs["kubelet-arg"]: sets hostname-override, which belongs to Strata; use hosts.nodes` + "\n" +
			`strata:k3s.agentArgs["kubelet-arg"]: sets node-ip, which belongs to Strata; use hosts.nodes` + "\n" +
			`strata:k3s.agentArgs["kubelet-arg+"]: sets node-labels, which belongs to Strata; use hosts.nodes`},
	{"owned settings of the control plane", one("k3s", `{"serverArgs":{
		"kube-apiserver-arg":["secure-port=7000","encryption-provider-config=/x"],
		"kube-controller-manager-arg":"service-cluster-ip-range=10.0.0.0/16","etcd-arg":["data-dir=/x"]}}`),
		`strata:k3s.serverArgs["etcd-arg"]: sets data-dir, which belongs to Strata; the gates expect K3s's default` + "\n" +
			`strata:k3s.serverArgs["kube-apiserver-arg"]: sets encryption-provider-config, which belongs to Strata; use k3s.secretsEncryption` + "\n" +
			`strata:k3s.serverArgs["kube-apiserver-arg"]: sets secure-port, which belongs to Strata; the gates expect K3s's default` + "\n" +
			`strata:k3s.serverArgs["kube-controller-manager-arg"]: sets service-cluster-ip-range, which belongs to Strata; use k3s.serviceCIDR`},
	{"an unknown short flag", one("k3s", `{"serverArgs":{"w":"x"}}`),
		`strata:k3s.serverArgs["w"]: is no key of a K3s server ` + config.K3sVersion +
			`; k3s server --help has the names; an option of the API server is written as kube-apiserver-arg: [NAME=VALUE]`},
	{"a flag by two names", one("k3s", `{"serverArgs":{"log":"a","l":"b"}}`),
		`strata:k3s.serverArgs["log"]: sets the same flag as l; keep one of them`},
	{"yes and OFF for booleans of K3s", one("k3s", `{"serverArgs":{"debug":"yes","docker":"OFF"}}`),
		`strata:k3s.serverArgs["debug"]: is a text in a stack file, which K3s refuses; write true or false` + "\n" +
			`strata:k3s.serverArgs["docker"]: is a text in a stack file, which K3s refuses; write true or false`},
	{"an address of the API outside the hosts' network", one("k3s", `{"vip":"10.99.0.5"}`),
		"strata:k3s.vip: 10.99.0.5 is no host's address in hosts.subnet 10.10.0.0/24; choose a free address inside it"},
	{"an address of the API that a node has", one("k3s", `{"vip":"10.10.0.11"}`),
		"strata:k3s.vip: 10.10.0.11 is node server-1's own; choose an address that nothing else uses"},
	{"an address of the API that a Service may get", one("k3s", `{"vip":"10.10.0.205"}`),
		"strata:k3s.vip: 10.10.0.205 is in metallb.addresses[0] 10.10.0.200-10.10.0.210; choose " +
			"an address that nothing else uses"},
	{"a schedule that cron does not know", one("k3s", `{"snapshots":{"schedule":"daily"}}`),
		"strata:k3s.snapshots.schedule: daily is not a schedule of cron's five fields; write " +
			"minute, hour, day, month and weekday, for example 0 */12 * * *"},
	{"a client certificate for less than a minute", one("k3s", `{"clientCertificateLifetime":"59s"}`),
		"strata:k3s.clientCertificateLifetime: 59s ends while an up uses it; write at least " +
			"1m0s, or leave it out for a year"},
	{"a negative token generation", one("k3s", `{"tokenGeneration":-1}`),
		"strata:k3s.tokenGeneration: -1 is no generation; count from 0, and add 1 to change the cluster's tokens"},
	{"a negative kubeconfig generation", one("k3s", `{"kubeconfigGeneration":-1}`),
		"strata:k3s.kubeconfigGeneration: -1 is no generation; count from 0, and add 1 to revoke every kubeconfig"},
	{"a negative snapshot retention", one("k3s", `{"snapshots":{"retention":-1}}`),
		"strata:k3s.snapshots.retention: -1 keeps no snapshot; write how many to keep, at least 1"},
	{"a snapshot setting by its flag", one("k3s", `{"serverArgs":{"etcd-snapshot-retention":9}}`),
		`strata:k3s.serverArgs["etcd-snapshot-retention"]: belongs to Strata; use k3s.snapshots`},
	{"a negative upgrade concurrency", one("upgrade", `{"concurrency":-1}`),
		"strata:upgrade.concurrency: -1 upgrades nothing; write how many agents may be away at " +
			"the same time, at least 1"},
}
