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
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/tunnel"
)

// K3sArgs configures K3s.
type K3sArgs struct {
	// Config is the section strata:k3s, validated.
	Config config.K3s
	// Subnet contains the addresses of all nodes.
	Subnet netip.Prefix
	// Upgrade is the section strata:upgrade.
	Upgrade config.Upgrade
	// Hosts are the servers and agents. A node's install waits for the gate of its own host only,
	// but for the host keys of all servers: they are needed to remove an earlier host with the same
	// node name from the cluster.
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

// k3s holds the state that the constructor's steps share.
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
	for _, step := range []func() error{k.refuseSecondCluster, k.install, k.issueCredential, k.gateAPI, k.gateNodes, k.gateSystem, k.gateEndpoint, k.connect} {
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

// connect registers the Kubernetes provider, sets Cluster, and registers the hook of args.Connect.
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

// endpoint returns the URL of the API server on the host.
func (h *Host) endpoint() string { return apiserver.URL(h.Node.Address.String()) }

// rewriteKubeconfig returns the kubeconfig with endpoint as the server, in place of K3s's
// 127.0.0.1. If there is a tunnel, the kubeconfig uses it as the proxy. It returns an error if the
// kubeconfig does not have K3s's server.
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
