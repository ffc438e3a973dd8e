package components

import (
	"crypto/sha256"
	"encoding/hex"
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
)

// gateNode registers the gate of one node's unit and, on a server, of /ping. The next server joins
// after this gate. The gate runs again whenever the install runs again, even if only the peers
// changed. An agent that had joined through a removed server restarts then.
func (k *k3s) gateNode(
	name string, host *Host, config pulumi.StringOutput, install pulumi.Resource,
) (*Gate, error) {
	at := accessTo([]*Host{host})
	spec := health.Spec{
		Body: server.Spec{}, Layer: "k3s",
		Timeout: k.args.Timeouts.API, TimeoutKey: "strata:timeouts.api",
	}
	if host.Node.Role == "server" {
		spec.Servers = []string{host.endpoint()}
	}
	return newGate(k.ctx, name+"-gate", &gateArgs{
		Spec: spec, Hosts: at.hosts, SSHKey: at.sshKey,
		Revision: digest(config, k.args.Artifacts.Digest("k3s")+strings.Join(k.peers(host), " ")),
	}, slices.Concat(childOf(k, install), host.deletedWith())...)
}

// gateAPI registers the gate of every API server.
func (k *k3s) gateAPI() error {
	gate, err := k.gate("api", health.Spec{
		Body: api.Spec{}, Timeout: k.args.Timeouts.API, TimeoutKey: "strata:timeouts.api",
		Servers: k.endpoints(),
	}, k.servers, k.joined[:len(k.servers)]...)
	k.API = gate
	return err
}

// gateNodes registers the removal of nodes that left, the upgrade of the remaining ones, and then
// the gate of the exact node set. The removal comes first because Pulumi deletes after all updates.
// Otherwise the gate would wait for ever for a node that is removed only later.
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

// podNetwork returns the network for which flannel writes routes. It is not valid if another CNI
// plugin replaces flannel.
func (k *k3s) podNetwork() netip.Prefix {
	if k.args.Config.CriticalValues()["flannel-backend"] == "none" {
		return netip.Prefix{}
	}
	return k.args.Config.ClusterCIDR
}

// gateSystem registers the gate of K3s's own deployments, which each node must be able to use.
func (k *k3s) gateSystem() error {
	_, err := k.gate("system", health.Spec{
		Timeout: k.args.Timeouts.Nodes, TimeoutKey: "strata:timeouts.nodes", Servers: k.endpoints(),
		Body: system.Spec{Disabled: k.args.Config.Disable,
			Domain: k.args.Config.CriticalValues()["cluster-domain"]},
	}, k.args.Hosts.All, append(k.joined, k.API, k.Upgraded)...)
	return err
}

// gate registers a gate of the cluster, with the given hosts and every API server.
func (k *k3s) gate(
	role string, spec health.Spec, hosts []*Host, after ...pulumi.Resource,
) (*Gate, error) {
	at := accessTo(hosts)
	spec.Layer = "k3s"
	return newGate(k.ctx, k.name+"-"+role, &gateArgs{
		Spec: spec, Hosts: at.hosts, SSHKey: at.sshKey, Kubeconfig: k.Kubeconfig,
		Revision: digest(k.identity.Hex, k.args.Artifacts.Digest(config.ArtifactK3s)),
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

// digest returns a short digest of a gate's subject. The digest is not secret although its input
// may be; see sumOf.
func digest(content pulumi.StringOutput, more string) pulumi.StringOutput {
	return sumOf(pulumi.Sprintf("%s\x00%s", content,
		more)).ApplyT(func(sum string) string { return sum[:16] }).(pulumi.StringOutput)
}

// sumOf returns the sha256 sum of a text, in hex. The sum is not secret although the text may be.
// Use it only for texts with the cluster's token: no sum reveals 48 random characters. A short
// secret could be guessed from its sum.
func sumOf(content pulumi.StringOutput) pulumi.StringOutput {
	return pulumi.Unsecret(content.ApplyT(func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}).(pulumi.StringOutput)).(pulumi.StringOutput)
}
