package e2e

// notReadyAgent succeeds once agent-1's Node is not Ready. Up to 50 s pass until the kubelet, or a
// controller without its heartbeats, sets this condition.
const notReadyAgent = `[ "$(k3s kubectl get node agent-1 -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}')" != True ]`

// drop returns a script that adds rules to a host's packet filter. keep returns one that deletes
// them.
func drop(rules ...string) string { return filter("-I", rules) }
func keep(rules ...string) string { return filter("-D", rules) }

func filter(how string, rules []string) (script string) {
	for _, rule := range rules {
		script += "iptables -w " + how + " " + rule + "\n"
	}
	return script
}

const (
	sshDrop   = "INPUT -p tcp --dport 22 -j DROP"
	sshReset  = "INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset"
	apiDrop   = "INPUT -p tcp --dport 6443 -j DROP"
	apiReset  = "INPUT -p tcp --dport 6443 -j REJECT --reject-with tcp-reset"
	allIn     = "INPUT ! -i lo -j DROP"
	allOut    = "OUTPUT ! -o lo -j DROP"
	webhookIn = "OUTPUT -p tcp --dport 9443 -j DROP"
	webhookTo = "FORWARD -p tcp --dport 9443 -j DROP"
	faultFile = "/etc/rancher/k3s/config.yaml.d/99-fault.yaml"
	// agentDropIn is below /run, so that a reboot repairs the host.
	agentDropIn = "/run/systemd/system/k3s-agent.service.d"
	kubeletIn   = "INPUT -i host0 -p tcp --dport 10250 -j DROP"
	// vxlanIn drops packets of Pods on other nodes; vxlanFull drops only nearly full ones.
	vxlanIn   = "INPUT -p udp --dport 8472 -j DROP"
	vxlanFull = "INPUT -p udp --dport 8472 -m length --length 1300:65535 -j DROP"
	// podsIn matches the packets for Pods that host-gw sends without a tunnel. Clouds drop packets
	// for addresses that are not a machine's own.
	podsIn  = "PREROUTING -t raw -i host0 -d 10.42.0.0/16 -j DROP"
	cniFile = "/var/lib/rancher/k3s/agent/etc/cni/net.d/10-flannel.conflist"
)

// hostFaults are the faults of a host, of the access to it and of its K3s.
var hostFaults = []fault{
	{
		name: "an agent is stopped", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "was stopped", fix: "systemctl start k3s-agent",
		on: "agent-1", inject: "systemctl stop k3s-agent", heal: "systemctl start --no-block k3s-agent",
	},
	{
		// A stopped K3s sometimes ends with an error (k3s-io/k3s#2624). A failing ExecStop causes
		// such an end every time.
		name: "an agent is stopped and ends with an error", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "was stopped", fix: "systemctl start k3s-agent",
		on:     "agent-1",
		inject: "mkdir " + agentDropIn + "; printf '[Service]\\nExecStop=/bin/false\\n' >" + agentDropIn + "/fault.conf; systemctl daemon-reload; systemctl stop k3s-agent; systemctl is-failed k3s-agent",
		heal:   "rm -r " + agentDropIn + "; systemctl daemon-reload; systemctl start --no-block k3s-agent",
	},
	{
		name: "an agent is disabled", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "next boot", fix: "systemctl enable k3s-agent",
		on: "agent-1", inject: "systemctl disable k3s-agent", heal: "systemctl enable k3s-agent",
	},
	{
		name: "an agent does not forward", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "sysctls undid", fix: "sysctl -w net.ipv4.ip_forward=1",
		on: "agent-1", inject: "echo 0 > /proc/sys/net/ipv4/ip_forward", heal: "echo 1 > /proc/sys/net/ipv4/ip_forward",
	},
	{
		name: "an agent's firewall drops what it forwards", layer: "k3s", gate: "k3s-nodes", object: "pod network server-1", cause: "packets are not forwarded there", fix: "iptables-save | grep FORWARD",
		on: "agent-1", inject: "iptables -w -I FORWARD -d 10.42.0.0/16 -j DROP", heal: "iptables -w -D FORWARD -d 10.42.0.0/16 -j DROP",
	},
	{
		name: "an agent has a key that K3s does not know", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "does not know a key", fix: "by hand: take it out",
		on: "agent-1", inject: "mkdir -p /etc/rancher/k3s/config.yaml.d; echo 'no-such-key: true' > " + faultFile + "; systemctl restart --no-block k3s-agent", heal: "rm " + faultFile,
	},
	{
		name: "an agent has another cluster's token", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "wrong token", fix: "correct it",
		on: "agent-1", inject: "echo 'token: of-another-cluster' > " + faultFile + "; systemctl restart --no-block k3s-agent",
		heal: "rm " + faultFile + "; systemctl restart --no-block k3s-agent", patience: 20e9,
	},
	{
		name: "an agent's kubelet hangs", layer: "k3s", gate: "k3s-nodes", object: "node agent-1", cause: "the kubelet has stopped posting", fix: "kubectl describe node agent-1",
		on: "agent-1", inject: "kill -STOP $(systemctl show -p MainPID --value k3s-agent)", heal: "kill -CONT $(systemctl show -p MainPID --value k3s-agent)", visible: notReadyAgent,
	},
	{
		name: "containerd hangs", layer: "k3s", gate: "k3s-nodes", object: "node agent-1", cause: "containerd does not answer", fix: "kubectl describe node agent-1",
		on: "agent-1", inject: "kill -STOP $(pgrep -x containerd)", heal: "kill -CONT $(pgrep -x containerd)", visible: notReadyAgent,
	},
	{
		name: "the CNI configuration is gone", layer: "k3s", gate: "k3s-nodes", object: "node agent-1", cause: "the Pod network is not set up", fix: "kubectl describe node agent-1",
		on: "agent-1", inject: "mv " + cniFile + " /root/", heal: "mv /root/10-flannel.conflist " + cniFile, visible: notReadyAgent,
	},
	{
		name: "a host has lost its power", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "the host is down", fix: "check that agent-1 is on",
		on: "agent-1", power: [2]string{"stop --hard", "start"},
	},
	{
		name: "a host is frozen", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "the whole host", fix: "check that agent-1 is on",
		on: "agent-1", power: [2]string{"pause", "resume"}, patience: 15e9,
	},
	{
		name: "a server is cut off", layer: "k3s", gate: "k3s-nodes", object: "unit server-3", cause: "a firewall drops the connection", fix: "check that server-3 is on",
		on: "server-3", inject: drop(allIn, allOut), heal: keep(allIn, allOut), patience: 10e9,
	},
	{
		name: "SSH is dropped", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "a firewall drops the connection", fix: "check that agent-1 is on",
		on: "agent-1", inject: drop(sshDrop), heal: keep(sshDrop), patience: 10e9,
	},
	{
		name: "SSH is refused", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "sshd is not listening", fix: "ssh.port",
		on: "agent-1", inject: drop(sshReset), heal: keep(sshReset),
	},
	{
		name: "sshd accepts and does not greet", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "sshd hangs", fix: "check that agent-1 is on",
		on: "agent-1", inject: "kill -STOP $(systemctl show -p MainPID --value ssh)", heal: "kill -CONT $(systemctl show -p MainPID --value ssh)", patience: 15e9,
	},
	{
		name: "sudo asks for a password", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "may not become root without a password", fix: "/etc/sudoers.d",
		on: "agent-1", inject: "mv /etc/sudoers.d /root/", heal: "mv /root/sudoers.d /etc/",
	},
	{
		name: "the public key is gone", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "authorized_keys", fix: "ssh-copy-id",
		on: "agent-1", inject: "mv /home/strata/.ssh/authorized_keys /root/", heal: "mv /root/authorized_keys /home/strata/.ssh/",
	},
	{
		name: "a host has another host key", layer: "k3s", gate: "k3s-nodes", object: "unit agent-1", cause: "the host was reinstalled", fix: "ssh-keygen -lf",
		on:     "agent-1",
		inject: "cp -a /etc/ssh /root/ssh; rm /etc/ssh/ssh_host_ed25519_key*; ssh-keygen -q -N '' -t ed25519 -f /etc/ssh/ssh_host_ed25519_key; systemctl restart ssh",
		heal:   "cp -a /root/ssh/. /etc/ssh/; rm -r /root/ssh; systemctl restart ssh",
	},
	{
		name: "a host's disk is full", layer: "hosts", gate: "hosts-agent-1-gate", object: "disk", cause: "/var/lib/rancher", fix: "free some space",
		on: "agent-1", inject: "mount -t tmpfs -o size=64k strata-fault /var/lib/rancher", heal: "umount -l /var/lib/rancher",
	},
	{
		name: "a host has lost a route to the Pods of another", layer: "k3s", gate: "k3s-nodes", object: "pod network agent-1", cause: "flannel", fix: "ip route",
		on: "agent-1", inject: "ip route show | grep '^10\\.42\\.' | grep -v cni0 | head -1 > /root/route; ip route del $(cat /root/route)", heal: "ip route replace $(cat /root/route)",
	},
	{
		name: "a firewall drops the packets of an agent's Pods", layer: "k3s", gate: "k3s-nodes", object: "pod network agent-1", cause: "drops UDP 8472",
		fix: "let each node reach each other at UDP 8472", on: "agent-1", inject: drop(vxlanIn), heal: keep(vxlanIn), patience: 20e9,
	},
	{
		name: "a firewall drops an agent's kubelet port", layer: "k3s", gate: "k3s-nodes", object: "kubelets from server-1", cause: "drops TCP 10250",
		fix: "let each node reach each other at TCP 10250", on: "agent-1", inject: drop(kubeletIn), heal: keep(kubeletIn), patience: 20e9,
	},
	{
		name: "full packets are lost between nodes", layer: "k3s", gate: "k3s-nodes", object: "pod network server-1", cause: "takes smaller packets", fix: "ping -M do",
		on: "agent-1", inject: drop(vxlanFull), heal: keep(vxlanFull), patience: 20e9,
	},
}

// hostGatewayFault returns the fault that the network drops packets for a host's Pods. With flannel's
// host-gw, no tunnel hides the Pods' addresses. asking is another host, whose check must name it.
func hostGatewayFault(on, asking string) fault {
	return fault{
		name: "the network drops packets for a host's Pods", layer: "k3s", gate: "k3s-nodes", object: "pod network " + asking, cause: "the hosts are not on one network",
		fix: "pass the Pods' addresses", on: on, inject: drop(podsIn), heal: keep(podsIn), patience: 20e9,
	}
}

// clusterFaults are the faults of the servers and of K3s's own deployments.
var clusterFaults = []fault{
	{
		name: "an API server's port is dropped", layer: "k3s", gate: "k3s-api", object: "api 10.33.0.12:6443", cause: "does not answer in time", fix: "check the route and the firewall",
		on: "server-2", inject: drop(apiDrop), heal: keep(apiDrop),
	},
	{
		name: "an API server's port is refused", layer: "k3s", gate: "k3s-api", object: "api 10.33.0.12:6443", cause: "refuses connections", fix: "systemctl status k3s",
		on: "server-2", inject: drop(apiReset), heal: keep(apiReset),
	},
	{
		name: "an API server hangs", layer: "k3s", gate: "k3s-api", object: "api 10.33.0.12:6443", cause: "does not answer in time", fix: "check the route and the firewall",
		on: "server-2", inject: "kill -STOP $(systemctl show -p MainPID --value k3s)", heal: "kill -CONT $(systemctl show -p MainPID --value k3s)",
	},
	{
		name: "a server is stopped", layer: "k3s", gate: "k3s-nodes", object: "unit server-2", cause: "was stopped", fix: "systemctl start k3s",
		on: "server-2", inject: "systemctl stop k3s", heal: "systemctl start --no-block k3s",
	},
	{
		name: "a server has skipped a key of its configuration", layer: "k3s", gate: "k3s-nodes", object: "unit server-2", cause: "typing mistake", fix: "kube-apiserver-arg",
		on: "server-2", inject: "echo 'audit-log-maxage: 30' > " + faultFile + "; systemctl restart k3s", heal: "rm " + faultFile + "; systemctl restart k3s",
	},
	{
		name: "most of the servers are cut off", layer: "k3s", gate: "k3s-api", object: "api 10.33.0.11:6443", cause: "etcd starts, or has no leader", fix: "on each server",
		outside: [2]string{cutOff("-I"), cutOff("-D")}, patience: 10e9, visible: "! timeout 3 k3s kubectl get --raw /readyz/etcd",
	},
	{
		name: "etcd has no space", layer: "k3s", gate: "k3s-nodes", object: "unit server-1", cause: "takes no writes", fix: "disarm the alarm",
		inject: alarm("ACTIVATE"), heal: alarm("DEACTIVATE"),
	},
	{
		name: "there is a Node too many", layer: "k3s", gate: "k3s-nodes", object: "node set", cause: "not expected: stranger", fix: "kubectl delete node stranger",
		inject: `echo '{"apiVersion":"v1","kind":"Node","metadata":{"name":"stranger"}}' | k3s kubectl create -f -`, heal: "k3s kubectl delete node stranger --wait=false",
	},
	{
		name: "CoreDNS is scaled to 0", layer: "k3s", gate: "k3s-system", object: "coredns", cause: "is scaled to 0", fix: "scale deployment coredns --replicas=1",
		inject: "k3s kubectl -n kube-system scale deployment coredns --replicas=0", heal: "k3s kubectl -n kube-system scale deployment coredns --replicas=1",
		visible: `[ -z "$(k3s kubectl -n kube-system get deployment coredns -o jsonpath='{.status.replicas}')" ]`,
	},
	{
		name: "CoreDNS crashes again and again", layer: "k3s", gate: "k3s-system", object: "coredns", cause: "exits soon after its start", fix: "--previous",
		inject:  patched("kube-system", "deployment coredns", `[{"op":"replace","path":"/spec/template/spec/containers/0/args","value":["-conf","/no-such-file"]}]`),
		heal:    "k3s kubectl -n kube-system rollout undo deployment coredns",
		visible: "k3s kubectl -n kube-system get pods | grep CrashLoopBackOff",
	},
	{
		name: "CoreDNS's own configuration gives no name", layer: "k3s", gate: "k3s-system", object: "dns from agent-1", cause: "NXDOMAIN", fix: "coredns-custom",
		inject: "k3s kubectl -n kube-system create configmap coredns-custom --from-literal=no.override='template ANY ANY cluster.local { rcode NXDOMAIN }'; " + dnsAnew,
		heal:   "k3s kubectl -n kube-system delete configmap coredns-custom; " + dnsAnew,
	},
	{
		name: "the DNS Service is deleted", layer: "k3s", gate: "k3s-system",
		object: "dns endpoints", cause: "kube-dns does not exist", fix: "systemctl restart k3s",
		inject: "k3s kubectl -n kube-system delete service kube-dns", heal: "systemctl restart k3s",
	},
	{
		name: "the DNS Service leads to a wrong port", layer: "k3s", gate: "k3s-system", object: "dns from agent-1", cause: "does not answer", fix: "get service kube-dns",
		inject: patched("kube-system", "service kube-dns", `[{"op":"replace","path":"/spec/ports/0/targetPort","value":5399},{"op":"replace","path":"/spec/ports/1/targetPort","value":5399}]`),
		heal:   patched("kube-system", "service kube-dns", `[{"op":"replace","path":"/spec/ports/0/targetPort","value":53},{"op":"replace","path":"/spec/ports/1/targetPort","value":53}]`),
	},
	{
		name: "an agent has lost the rules of Services", layer: "k3s", gate: "k3s-system", object: "dns from agent-1", cause: "other hosts get the right answer", fix: "restarting K3s there",
		on: "agent-1", inject: "iptables -w -t nat -I OUTPUT -d 10.43.0.10 -j ACCEPT", heal: "iptables -w -t nat -D OUTPUT -d 10.43.0.10 -j ACCEPT",
	},
	{
		name: "metrics-server is scaled to 0", layer: "k3s", gate: "k3s-system", object: "apiservice v1beta1.metrics.k8s.io", cause: "it is scaled to 0", fix: "get deployment",
		inject: "k3s kubectl -n kube-system scale deployment metrics-server --replicas=0", heal: "k3s kubectl -n kube-system scale deployment metrics-server --replicas=1",
		visible: `k3s kubectl get apiservice v1beta1.metrics.k8s.io | grep False`,
	},
}

// dnsAnew replaces CoreDNS's Pods, because they read coredns-custom only at their start.
const dnsAnew = "k3s kubectl -n kube-system delete pods -l k8s-app=kube-dns"

// patched returns a command that changes an object by a JSON patch.
func patched(namespace, object, patch string) string {
	return "k3s kubectl -n " + namespace + " patch " + object + " --type=json -p '" + patch + "'"
}

// cutOff returns a script that cuts (-I) server-2 and server-3 off from all other hosts, or
// reconnects (-D) them.
func cutOff(how string) string {
	return "for a in 12 13; do iptables -w " + how + " FORWARD -s 10.33.0.$a -j DROP; iptables -w " + how + " FORWARD -d 10.33.0.$a -j DROP; done"
}

// alarm returns a script that raises or clears etcd's space alarm, as etcdctl does.
func alarm(action string) string {
	return `tls=/var/lib/rancher/k3s/server/tls/etcd
ask() { curl -sf --cacert $tls/server-ca.crt --cert $tls/client.crt --key $tls/client.key https://127.0.0.1:2379/v3/maintenance/$1 -d "$2"; }
member=$(ask status '{}' | sed 's/.*"member_id":"\([0-9]*\)".*/\1/')
ask alarm "{\"action\":\"` + action + `\",\"memberID\":\"$member\",\"alarm\":\"NOSPACE\"}"`
}
