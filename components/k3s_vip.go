package components

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/hosts/hostrun"
	"strata/health"
	"strata/health/api"
	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/rerun"
)

// keepalivedMark is the first line of a keepalived.conf that Strata wrote.
const keepalivedMark = "# Written by Strata; k3s.vip in its configuration decides."

// endpoint returns the URL of the API server on the host.
func (h *Host) endpoint() string { return apiserver.URL(h.Node.Address.String()) }

// endpoint returns the API's URL for clients outside the cluster. Its host is the virtual IP
// address (strata:k3s.vip) or else the first server's address.
func (k *k3s) endpoint() string {
	if vip := k.args.Config.VIP; vip.IsValid() {
		return apiserver.URL(vip.String())
	}
	return k.servers[0].endpoint()
}

// gateEndpoint registers keepalived on the servers for the API's virtual IP address, and the gate
// of this address. Resources that use Kubeconfig wait for the gate. The gate comes after the
// upgrade: until K3s is restarted, its certificate does not include an address that is new in this
// run. So the removal of nodes and the upgrade use the servers' own addresses. If no virtual IP
// address is configured, reached is the gate API.
func (k *k3s) gateEndpoint() error {
	k.reached = k.API
	if !k.args.Config.VIP.IsValid() {
		return nil
	}
	var holders []pulumi.Resource
	for i, server := range k.servers {
		holder, err := k.holdVIP(server, k.joined[i])
		if err != nil {
			return err
		}
		holders = append(holders, holder)
	}
	gate, err := newGate(k.ctx, k.name+"-endpoint", &gateArgs{
		Spec: health.Spec{
			Body: api.Spec{}, Layer: "k3s", Timeout: k.args.Timeouts.API,
			TimeoutKey: "strata:timeouts.api", Servers: []string{k.Endpoint},
		},
		Hosts: k.servers, Kubeconfig: k.Kubeconfig,
		Revision: shortSumOf(k.identity.Hex, strings.Join(k.endpoints(), " ")),
	}, childOf(k, append(holders, k.API, k.Upgraded)...)...)
	k.reached, k.Upgraded = gate, gate
	return err
}

// holdVIP registers keepalived on one server. ready is the gate of that server.
func (k *k3s) holdVIP(server *Host, ready pulumi.Resource) (pulumi.Resource, error) {
	limit, vip := k.args.Timeouts.Install, k.args.Config.VIP
	name := k.name + "-" + server.Node.Name
	script := func(attempt string) string {
		return hostScript("k3s-vip.sh",
			variable{"NAME", server.Node.Name}, variable{"ADDRESS", server.Node.Address.String()},
			variable{"PEERS", strings.Join(k.peers(server), " ")}, variable{"VIP", vip.String()},
			// The VRRP router ID is derived from the address, so that clusters in the same network
			// have different IDs.
			variable{"ROUTER", strconv.Itoa(int(vip.As4()[3]%255) + 1)},
			variable{"MARK", keepalivedMark}, variable{"ATTEMPT", attempt},
		)
	}
	opts := append(childOf(k, ready), server.deletedWith())
	attempt, err := rerun.Attempt(k.ctx, name+"-keepalived",
		pulumi.StringMap{"script": pulumi.String(digestOf(script("")))}, opts...)
	if err != nil {
		return nil, fmt.Errorf("attempt: %w", err)
	}
	asked := join.Two(attempt, k.args.Hosts.Identity.owner,
		func(attempt string, owner k3shost.Owner) hostrun.Input {
			variables := append(ownerVariables(owner, server.Node.Name), variable{"MARK", keepalivedMark})
			return hostrun.Input{Script: script(attempt),
				Delete: hostScript("k3s-vip-remove.sh", variables...), Timeout: limit}
		})
	command := server.runs(asked)
	command.Delete = actions.Text(hostrun.Delete)
	return newCommand(k.ctx, name+"-keepalived", command, append(opts, customTimeouts(limit))...)
}
