package components

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/client-go/tools/clientcmd"

	"strata/actions/k3s/credential"
	"strata/actions/stack/teardown"
	"strata/artifacts"
	"strata/config"
	"strata/internal/ssh/tunnel"
)

// K3sArgs configures K3s.
type K3sArgs struct {
	// Config is the section strata:k3s, validated.
	Config config.K3s
	// Subnet holds every node's address.
	Subnet netip.Prefix
	// Upgrade is the section strata:upgrade.
	Upgrade config.Upgrade
	// Hosts are the servers and agents. Each node's install waits for its own host's gate. It also
	// waits for the host keys of all servers, because any server may still know an earlier host
	// under the node's name.
	Hosts *Hosts
	// Artifacts has the binary, the install script and the image archives.
	Artifacts *artifacts.Set
	// Timeouts bound the installs and gates.
	Timeouts config.Timeouts
	// Connect returns the hook that runs before each change in the cluster. If nil, the provider
	// refuses existing objects.
	Connect Connect
	// Past reads the traces of the stack's earlier cluster before a server's host changes. If nil,
	// nothing is refused.
	Past ReadPast
}

// K3s owns the cluster: its nodes, its membership, its kubeconfig and the provider that reaches it.
type K3s struct {
	pulumi.ResourceState
	// Kubeconfig is the cluster's, with the address of Endpoint. Secret.
	Kubeconfig pulumi.StringOutput `pulumi:"kubeconfig"`
	// ReaderKubeconfig is the kubeconfig of a user who can only read. Secret.
	ReaderKubeconfig pulumi.StringOutput `pulumi:"readerKubeconfig"`
	// Endpoint is the API server's URL.
	Endpoint string `pulumi:"endpoint"`
	// Cluster serves the layers inside the cluster.
	Cluster *Cluster
	// API passes once every API server answers authenticated requests.
	API *Gate
	// Upgraded passes once the nodes that left are out of the cluster, the remaining ones run the
	// wanted K3s, and the API answers at Endpoint. Every change and check inside the cluster waits
	// for it. Otherwise a gate would observe Pods that are about to be drained.
	Upgraded pulumi.Resource
}

// k3s holds the state that the constructor's steps share.
type k3s struct {
	*K3s
	ctx      *pulumi.Context
	name     string
	args     *K3sArgs
	identity *random.RandomId
	tokens   tokens
	// kept are the resources that must stay in the state as long as a node uses them.
	kept    []pulumi.Resource
	servers []*Host
	agents  []*Host
	joined  []pulumi.Resource
	// rotated passes once the servers' data are encrypted with the wanted token.
	rotated pulumi.Resource
	// caHash is the hash of the cluster's CA, for nodes that join the first server; empty until the
	// first server is registered.
	caHash pulumi.StringOutput
	// allow is the hook that refuses a second cluster; nil if nothing is refused.
	allow *pulumi.ResourceHook
	// reached passes once the API answers at Endpoint. Users of the unchanged kubeconfig wait for
	// it.
	reached *Gate
	// members passes once the nodes that left are out of the cluster: drained, stopped, and removed
	// from etcd and the API.
	members pulumi.Resource
	// pushed are the resources that copy artifacts to the hosts.
	pushed []pulumi.Resource
}

// NewK3s registers the cluster whose Identity the hosts have. Servers join one at a time, since
// etcd admits one learner (k3s-io/k3s#4335). Agents join in parallel once the first server serves.
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
	for _, step := range []func() error{k.refuseSecondCluster, k.install, k.issueCredential, k.gateAPI, k.gateNodes, k.gateSystem, k.gateEndpoint, k.connect} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("k3s: %w", err)
		}
	}
	return k.K3s, registerOutputs(ctx, k.K3s)
}

// install registers each node's resources. A server waits for the one before it, and agents wait
// for the first server. Agents wait for all servers if a server that was not restarted does not
// know their new token.
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

// connect registers the provider.
func (k *k3s) connect() error {
	binary, err := k.args.Artifacts.Get(config.ArtifactK3s)
	if err != nil {
		return err
	}
	var upsert pulumi.BoolPtrInput
	if k.args.Connect != nil {
		upsert = pulumi.Bool(true)
	}
	provider, err := newProvider(k.ctx, k.name+"-provider", k.Kubeconfig, k.identity.Hex, upsert,
		childOf(k, k.reached)...)
	if err != nil {
		return err
	}
	k.Cluster = &Cluster{
		objects:  teardown.Objects{},
		Provider: provider, Identity: k.identity, Kubeconfig: k.Kubeconfig,
		Endpoint: pulumi.String(k.Endpoint), Servers: pulumi.ToStringArray(k.endpoints()),
		Hosts:   k.args.Hosts,
		Version: binary.Version, Images: k.args.Artifacts.ImageDigests(), Stable: k.Upgraded,
		NamespaceEnd: k.args.Timeouts.Namespaces,
	}
	if k.args.Connect == nil {
		return nil
	}
	return k.Cluster.ask(k.ctx, k.name+"-adopt", k.endpoints(), k.args.Connect)
}

// endpoint returns the API server's URL on a server.
func (h *Host) endpoint() string { return "https://" + joinHostPort(h.Node.Address) }

// rewriteKubeconfig replaces 127.0.0.1, which K3s's own kubeconfig has, by an address that works
// from outside. The kubeconfig leads through a tunnel if there is one.
func rewriteKubeconfig(kubeconfig, endpoint string, way tunnel.Spec) (string, error) {
	if !strings.Contains(kubeconfig, credential.LocalServer) {
		return "", fmt.Errorf("kubeconfig of the stack: want server %s in it",
			credential.LocalServer)
	}
	kubeconfig = strings.Replace(kubeconfig, credential.LocalServer, endpoint, 1)
	if !way.There() {
		return kubeconfig, nil
	}
	parsed, err := clientcmd.Load([]byte(kubeconfig))
	if err != nil {
		return "", fmt.Errorf("kubeconfig of the stack: %w", err)
	}
	for _, cluster := range parsed.Clusters {
		cluster.ProxyURL = way.URL()
	}
	text, err := clientcmd.Write(*parsed)
	return string(text), err
}
