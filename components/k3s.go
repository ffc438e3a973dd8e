package components

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/hosts/hostrun"
	"strata/artifacts"
	"strata/config"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/rerun"
)

// K3sArgs configures K3s.
type K3sArgs struct {
	// Config is the section strata:k3s, validated.
	Config config.K3s
	// Subnet contains the addresses of all nodes.
	Subnet netip.Prefix
	// Upgrade is the section strata:upgrade.
	Upgrade config.Upgrade
	// Hosts are the servers and agents. A node's install waits for the gate of its own host only.
	// It also waits for the host keys of all servers, which are needed to remove an earlier host
	// with the same node name from the cluster.
	Hosts *Hosts
	// Artifacts has the binary, the install script and the image archives.
	Artifacts *artifacts.Set
	// Timeouts bound the installs and gates.
	Timeouts config.Timeouts
	// Connect returns the hook that runs before each change in the cluster. If nil, there is no
	// hook and existing objects are not adopted.
	Connect Connect
	// Past reads from the state which cluster the stack had before, so that an update that would
	// create a second cluster is refused. If nil, nothing is refused.
	Past ReadPast
}

// K3s owns the cluster: its nodes, its membership, its kubeconfigs and its Kubernetes provider.
type K3s struct {
	pulumi.ResourceState
	// Kubeconfig is the cluster's kubeconfig. Its server is Endpoint. Secret.
	Kubeconfig pulumi.StringOutput `pulumi:"kubeconfig"`
	// ReaderKubeconfig is the kubeconfig of a user who can only read. Secret.
	ReaderKubeconfig pulumi.StringOutput `pulumi:"readerKubeconfig"`
	// Endpoint is the API server's URL.
	Endpoint string `pulumi:"endpoint"`
	// Cluster gives layers access to the cluster.
	Cluster *Cluster
	// API passes once every API server answers authenticated requests.
	API *Gate
	// Upgraded passes once removed nodes are deleted from the cluster, the remaining nodes run the
	// wanted K3s, and the API answers at Endpoint. Every change and check inside the cluster waits
	// for it, so that gates do not check Pods that are about to be drained.
	Upgraded pulumi.Resource
}

// k3s holds the values that the steps of NewK3s share.
type k3s struct {
	*K3s
	ctx      *pulumi.Context
	name     string
	args     *K3sArgs
	identity *random.RandomId
	tokens   tokens
	// kept are the identity's resources, which a destroy must delete after the nodes.
	kept    []pulumi.Resource
	servers []*Host
	agents  []*Host
	joined  []pulumi.Resource
	// rotated passes once the servers' cluster data are encrypted with the current token.
	rotated pulumi.Resource
	// caHash is the hash of the cluster's CA, which all nodes except the first server verify when
	// they join. It is empty until the first server is registered.
	caHash pulumi.StringOutput
	// allow is the hook of refuseSecondCluster; nil if nothing is refused.
	allow *pulumi.ResourceHook
	// reached passes once the API answers at Endpoint. Resources that use Kubeconfig wait for it.
	reached *Gate
	// members passes once removed nodes are drained, stopped, and deleted from etcd and the API.
	members pulumi.Resource
	// pushed are the resources that copy artifacts to the hosts.
	pushed []pulumi.Resource
}

// NewK3s registers the rest of the component that NewIdentity has registered with args.Hosts.
// Servers join one at a time, since etcd admits only one learner (k3s-io/k3s#4335). Agents join in
// parallel once the first server runs.
func NewK3s(ctx *pulumi.Context, name string, args *K3sArgs) (*K3s, error) {
	k := &k3s{K3s: args.Hosts.Identity.cluster, identity: args.Hosts.Identity.id,
		tokens: args.Hosts.Identity.tokens, kept: args.Hosts.Identity.kept, ctx: ctx, name: name,
		args: args}
	k.caHash = pulumi.String("").ToStringOutput()
	k.servers, k.agents = args.Hosts.With(config.RoleServer), args.Hosts.With(config.RoleAgent)
	if len(k.servers) == 0 {
		return nil, errors.New("k3s: no server among the hosts")
	}
	k.Endpoint = k.endpoint()
	for _, step := range []func() error{k.refuseSecondCluster, k.install, k.issueCredential, k.gateAPI,
		k.gateNodes, k.gateSystem, k.gateEndpoint, k.connect} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("k3s: %w", err)
		}
	}
	return k.K3s, registerOutputs(ctx, k.K3s)
}

// install registers each node's resources. A server waits for the one before it, and agents wait
// for the first server. After a token rotation, agents wait for all servers, because a server knows
// the new agent token only after its restart.
func (k *k3s) install() error {
	if err := k.rotateToken(); err != nil {
		return fmt.Errorf("token: %w", err)
	}
	var before []pulumi.Resource
	for i, server := range k.servers {
		ready, err := k.node(server, before)
		if err != nil {
			return fmt.Errorf("server %s: %w", server.Node.Name, err)
		}
		before = []pulumi.Resource{ready}
		k.joined = append(k.joined, ready)
		if i == 0 {
			if err := k.readCAHash(ready); err != nil {
				return fmt.Errorf("hash of the CA: %w", err)
			}
		}
	}
	awaited := 1
	if k.tokens.generation() > 0 {
		awaited = len(k.joined)
	}
	serving := k.joined[:awaited:awaited]
	for _, agent := range k.agents {
		ready, err := k.node(agent, serving)
		if err != nil {
			return fmt.Errorf("agent %s: %w", agent.Node.Name, err)
		}
		k.joined = append(k.joined, ready)
	}
	return nil
}

// node registers the resources of one node, and returns the gate that passes once the node runs.
// before are the resources that must be ready before the install starts.
func (k *k3s) node(host *Host, before []pulumi.Resource) (*Gate, error) {
	name := k.name + "-" + host.Node.Name
	claim, err := k.claim(name, host)
	if err != nil {
		return nil, fmt.Errorf("claim: %w", err)
	}
	pushes, err := k.push(name, host, claim)
	if err != nil {
		return nil, fmt.Errorf("push: %w", err)
	}
	k.pushed = append(k.pushed, pushes...)
	released, err := k.releaseName(name, host, with(before, claim))
	if err != nil {
		return nil, fmt.Errorf("release of its name: %w", err)
	}
	files := k.config(host)
	install, err := k.installNode(name, host, files,
		append(with(before, pushes...), released, k.rotated))
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	return k.gateNode(name, host, files, install)
}

// claim registers the command that writes the owner file on a host before anything else changes it.
// The command fails on a host of another stack, so the state never has the command's delete, which
// uninstalls K3s, for such a host. The command has no triggers: a replacement would run the old
// delete after the new create, and so uninstall the new K3s. The delete runs the script as recorded
// in the state, so that script is self-contained.
func (k *k3s) claim(name string, host *Host) (pulumi.Resource, error) {
	limit := k.args.Timeouts.Uninstall
	asked := pulumix.Apply(k.args.Hosts.Identity.owner, func(owner k3shost.Owner) hostrun.Input {
		variables := ownerVariables(owner, host.Node.Name)
		return hostrun.Input{Script: hostScript("k3s-claim.sh", variables...),
			Delete: hostScript("k3s-uninstall.sh", variables...), Timeout: limit}
	})
	command := host.runs(asked)
	command.Delete = actions.Text(hostrun.Delete)
	return local.NewCommand(k.ctx, name+"-claim", command,
		append(childOf(k, with(k.kept, host.Gate)...), host.deletedWith(), beforeChange(k.allow),
			customTimeouts(limit))...)
}

// installNode registers the command that configures and starts K3s. It runs again when its script,
// the files or the binary change, and restarts K3s only if one of them differs on the host.
func (k *k3s) installNode(
	name string, host *Host, files pulumi.StringOutput, needs []pulumi.Resource,
) (pulumi.Resource, error) {
	binary, err := k.args.Artifacts.Get(config.ArtifactK3s)
	if err != nil {
		return nil, err
	}
	limit := k.args.Timeouts.Install
	input := func(files, sum string, owner k3shost.Owner, caHash string) hostrun.Input {
		variables := append(ownerVariables(owner, host.Node.Name),
			variable{"ROLE", string(host.Node.Role)},
			variable{"PEERS", strings.Join(k.peers(host), " ")},
			variable{"BINARY_SHA256", binary.SHA256},
			variable{"CONFIG_SHA256", sum},
		)
		if host != k.servers[0] { // caHash is read from the first server only after its install
			variables = append(variables, variable{"CA_HASH", caHash})
		}
		return hostrun.Input{
			Stdin: files, Timeout: limit, Founds: k.founds(host),
			Script: hostScript("k3s-install.sh", variables...),
		}
	}
	asked := join.Four(files, sumOf(files), k.args.Hosts.Identity.owner, k.caHash, input)
	return newCommand(k.ctx, name+"-install", host.runs(asked),
		append(childOf(k, needs...), host.deletedWith(), customTimeouts(limit),
			rerun.ReplaceOnChange())...)
}

// peers returns the addresses of the other servers, through which the node may join.
func (k *k3s) peers(host *Host) []string {
	var peers []string
	for _, server := range k.servers {
		if server != host {
			peers = append(peers, server.Node.Address.String())
		}
	}
	return peers
}
