package components

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/api"
	"strata/health/nodes"
	"strata/health/server"
	"strata/health/system"
	"strata/internal/files/digest"
)

// gateNode registers the gate of a node's systemd unit and, on a server, of /ping. The next server
// joins after this gate. The gate's revision includes the peers, because an agent that joined
// through a removed server is restarted when the peers change.
func (k *k3s) gateNode(
	name string, host *Host, config pulumi.StringOutput, install pulumi.Resource,
) (*Gate, error) {
	spec := health.Spec{
		Body: server.Spec{}, Layer: "k3s",
		Timeout: k.args.Timeouts.API, TimeoutKey: "strata:timeouts.api",
	}
	if host.Node.Role == "server" {
		spec.Servers = []string{host.endpoint()}
	}
	return newGate(k.ctx, name+"-gate", &gateArgs{
		Spec: spec, Hosts: []*Host{host},
		Revision: shortSumOf(config, k.args.Artifacts.Digest("k3s")+strings.Join(k.peers(host), " ")),
	}, append(childOf(k, install), host.deletedWith())...)
}

// gateAPI registers API, the gate of all API servers.
func (k *k3s) gateAPI() error {
	gate, err := k.gate("api", health.Spec{
		Body: api.Spec{}, Timeout: k.args.Timeouts.API, TimeoutKey: "strata:timeouts.api",
		Servers: k.endpoints(),
	}, k.servers, k.joined[:len(k.servers)]...)
	k.API = gate
	return err
}

// gateNodes registers the command that removes nodes, the upgrade of the remaining ones, and the
// gate that expects exactly the configured Nodes. A command removes Nodes: a resource's delete
// would run only after all updates, so the gate would wait for the removal in vain.
func (k *k3s) gateNodes() error {
	var err error
	if k.members, err = k.removeLeaving(); err != nil {
		return err
	}
	if k.Upgraded, err = k.upgrade(); err != nil {
		return err
	}
	_, err = k.gate("nodes", health.Spec{
		Timeout: k.args.Timeouts.Nodes, TimeoutKey: "strata:timeouts.nodes", Servers: k.endpoints(),
		Body: nodes.Spec{
			PodNetwork: k.podNetwork(), Backend: k.args.Config.CriticalValues()["flannel-backend"],
			Kubelets: !slices.Contains(k.args.Config.Disable, "metrics-server"),
			Settings: k.settings(),
		},
	}, k.args.Hosts.All, append(k.joined, k.API, k.Upgraded)...)
	return err
}

// podNetwork returns the Pod network for which flannel writes routes. It returns the zero Prefix if
// flannel is disabled.
func (k *k3s) podNetwork() netip.Prefix {
	if k.args.Config.CriticalValues()["flannel-backend"] == "none" {
		return netip.Prefix{}
	}
	return k.args.Config.ClusterCIDR
}

// gateSystem registers the gate of the Deployments that K3s installs, such as CoreDNS. Each node
// must be able to use them.
func (k *k3s) gateSystem() error {
	_, err := k.gate("system", health.Spec{
		Timeout: k.args.Timeouts.Nodes, TimeoutKey: "strata:timeouts.nodes", Servers: k.endpoints(),
		Body: system.Spec{Disabled: k.args.Config.Disable,
			Domain: k.args.Config.CriticalValues()["cluster-domain"]},
	}, k.args.Hosts.All, append(k.joined, k.API, k.Upgraded)...)
	return err
}

// gate registers a gate of the cluster that logs in to hosts and has the kubeconfig.
func (k *k3s) gate(
	role string, spec health.Spec, hosts []*Host, after ...pulumi.Resource,
) (*Gate, error) {
	spec.Layer = "k3s"
	return newGate(k.ctx, k.name+"-"+role, &gateArgs{
		Spec: spec, Hosts: hosts, Kubeconfig: k.Kubeconfig,
		Revision: shortSumOf(k.identity.Hex, k.args.Artifacts.Digest(config.ArtifactK3s)),
	}, childOf(k, after...)...)
}

// endpoints returns the URLs of all API servers.
func (k *k3s) endpoints() []string {
	urls := make([]string, 0, len(k.servers))
	for _, server := range k.servers {
		urls = append(urls, server.endpoint())
	}
	return urls
}

// shortSumOf returns the first 16 hex digits of the sum of content and more. It is not secret
// although content may be; see sumOf for when that is safe.
func shortSumOf(content pulumi.StringOutput, more string) pulumi.StringOutput {
	return sumOf(pulumi.Sprintf("%s\x00%s", content,
		more)).ApplyT(func(sum string) string { return sum[:16] }).(pulumi.StringOutput)
}

// sumOf returns the SHA-256 sum of a text, in hex, as a plain output. Use it only for public texts
// and for texts that contain a cluster token: its 48 random characters cannot be guessed from the
// sum, as a short secret could.
func sumOf(content pulumi.StringOutput) pulumi.StringOutput {
	return pulumi.Unsecret(content.ApplyT(func(text string) string {
		return digest.Sum([]byte(text))
	}).(pulumi.StringOutput)).(pulumi.StringOutput)
}
