package components

import (
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"strata/config"
	"strata/health/host"
	"strata/health/pool"
	"strata/health/webhook"
	"strata/internal/ssh/tunnel"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it with: go test ./components -update")
	assert.Equal(t, string(want), text)
}

// These are the nodes of a small cluster. Together they set every field that a node may have.
var (
	serverNode = config.Node{Name: "server-1", Role: config.RoleServer,
		Address: netip.MustParseAddr("10.0.0.11"),
		Labels:  map[string]string{"zone": "b", "disk": "ssd"},
		Taints:  []string{"dedicated=control:NoSchedule"}}
	secondNode = config.Node{Name: "server-2", Role: config.RoleServer,
		Address: netip.MustParseAddr("10.0.0.12")}
	agentNode = config.Node{Name: "agent-1", Role: config.RoleAgent,
		Address: netip.MustParseAddr("10.0.0.21"),
		Labels:  map[string]string{"zone": "a"}}
)

func clusterConfig() config.K3s {
	encrypt := true
	return config.K3s{
		ClusterCIDR:      netip.MustParsePrefix("10.42.0.0/16"),
		ServiceCIDR:      netip.MustParsePrefix("10.43.0.0/16"),
		Disable:          []string{"traefik", "servicelb"},
		TLSSANs:          []string{"api.example.org", "10.0.0.12"},
		FlannelInterface: "eth1", SecretsEncryption: &encrypt,
		Snapshots:  config.Snapshots{Schedule: "0 */6 * * *", Retention: 7},
		ServerArgs: map[string]any{"etcd-expose-metrics": true},
		AgentArgs:  map[string]any{"kubelet-arg": []string{"max-pods=50"}},
	}
}

func TestServerConfigMatchesGoldenFile(t *testing.T) {
	text, err := k3sConfig(clusterConfig(), serverNode, []config.Node{serverNode, secondNode},
		"the-token", "the-agent-token")
	require.NoError(t, err)
	golden(t, "k3s_server.yaml", text)
}

func TestAgentConfigHasNoServerKeys(t *testing.T) {
	text, err := k3sConfig(clusterConfig(), agentNode, []config.Node{serverNode, secondNode},
		"the-token", "the-agent-token")
	require.NoError(t, err)
	golden(t, "k3s_agent.yaml", text)
	for key := range serverKeys(clusterConfig(), nil) {
		assert.NotContains(t, text, key+":", "k3s agent refuses keys that it does not know")
	}
}

// An agent must not have the servers' token: its host may be compromised, and that token gives
// access to the keys of the cluster's CAs.
func TestAgentConfigOmitsServerToken(t *testing.T) {
	for _, node := range []config.Node{serverNode, agentNode} {
		text, err := k3sConfig(clusterConfig(), node, []config.Node{serverNode}, "the-token",
			"the-agent-token")
		require.NoError(t, err)
		server := node.Role == config.RoleServer
		assert.Equal(t, server, strings.Contains(text, "\ntoken: the-token\n"), node.Name)
		assert.Equal(t, server, strings.Contains(text, "agent-token: the-agent-token\n"), node.Name)
		assert.Equal(t, !server, strings.Contains(text, "\ntoken: the-agent-token\n"), node.Name)
	}
}

// The install script decides on the host how a node joins, because it can see there whether a
// cluster exists.
func TestK3sConfigHasNoJoinSettings(t *testing.T) {
	for _, node := range []config.Node{serverNode, secondNode, agentNode} {
		text, err := k3sConfig(clusterConfig(), node, []config.Node{serverNode, secondNode},
			"the-token", "the-agent-token")
		require.NoError(t, err)
		assert.NotContains(t, text, "cluster-init")
		assert.NotContains(t, text, "\nserver:")
	}
}

func TestK3sConfigIsDeterministic(t *testing.T) {
	first, err := k3sConfig(clusterConfig(), serverNode, []config.Node{serverNode, secondNode},
		"the-token", "the-agent-token")
	require.NoError(t, err)
	for range 50 {
		again, err := k3sConfig(clusterConfig(), serverNode, []config.Node{serverNode, secondNode},
			"the-token", "the-agent-token")
		require.NoError(t, err)
		require.Equal(t, first, again, "another text would restart K3s")
	}
}

func TestServerArgWithKeySetByStrataIsRefused(t *testing.T) {
	for _, key := range []string{"token", "agent-token", "node-ip", "cluster-cidr"} {
		cfg := clusterConfig()
		cfg.ServerArgs = map[string]any{key: "mine"}
		_, err := k3sConfig(cfg, serverNode, []config.Node{serverNode}, "the-token",
			"the-agent-token")
		require.ErrorContains(t, err, "key "+key+" of server-1 is set by Strata")
	}
}

func TestKubeconfigRewriteChangesOnlyServer(t *testing.T) {
	text, err := rewriteKubeconfig("cluster:\n  certificate-authority-data: CA\n  server: "+
		"https://127.0.0.1:6443\n", "https://10.0.0.11:6443", tunnel.Spec{})
	require.NoError(t, err)
	assert.Equal(t, "cluster:\n  certificate-authority-data: CA\n  server: https://10.0.0.11:6443\n", text)
}

func TestKubeconfigBehindJumpHostHasProxyURL(t *testing.T) {
	text, err := rewriteKubeconfig("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: "+
		"{certificate-authority-data: Q0E=, server: 'https://127.0.0.1:6443'}}]\n",
		"https://10.0.0.11:6443", tunnel.Spec{Port: 1080})
	require.NoError(t, err)
	parsed, err := clientcmd.Load([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, "https://10.0.0.11:6443", parsed.Clusters["c"].Server,
		"its certificate is still checked for this")
	assert.Equal(t, "socks5://127.0.0.1:1080", parsed.Clusters["c"].ProxyURL)
	assert.Equal(t, "CA", string(parsed.Clusters["c"].CertificateAuthorityData))
}

func TestKubeconfigRewriteErrorHidesContent(t *testing.T) {
	_, err := rewriteKubeconfig("client-key-data: SECRET", "https://10.0.0.11:6443", tunnel.Spec{})
	require.ErrorContains(t, err, "want server https://127.0.0.1:6443 in it")
	assert.NotContains(t, err.Error(), "SECRET")
}

func TestHostRequirementsFollowRole(t *testing.T) {
	server := host.Needs("server", false, true)
	assert.Equal(t, []int{2379, 2380, 6443, 10250}, server.Ports)
	assert.Equal(t, []string{"br_netfilter", "overlay", "ip_vs"}, server.Modules)
	assert.False(t, server.IPVS)
	assert.NotEqual(t, server.Ports, host.Needs("agent", false, true).Ports)
	assert.Equal(t, []string{"keepalived"}, server.Programs)
	assert.Empty(t, host.Needs("agent", false, true).Programs,
		"agents hold no address of the API's")
	assert.Empty(t, host.Needs("server", false, false).Programs)
	agent := host.Needs("agent", true, false)
	assert.Equal(t, []int{10250}, agent.Ports)
	assert.Less(t, agent.MinMemoryMiB, server.MinMemoryMiB)
	assert.True(t, agent.IPVS)
	assert.Positive(t, agent.MaxClockSkew.Duration)
	assert.Positive(t, agent.MinDiskMiB)
}

func metallbArgs() *MetalLBArgs {
	hosts := &Hosts{All: []*Host{{Node: serverNode}, {Node: agentNode}}}
	return &MetalLBArgs{
		Config: config.MetalLB{Addresses: []string{"10.0.0.200-10.0.0.210"}},
		Layer: Layer{
			Cluster:  &Cluster{Hosts: hosts},
			Timeouts: config.Timeouts{MetalLBPool: metav1.Duration{Duration: 2 * time.Minute}},
		},
	}
}

func TestMetalLBWebhookGateSendsValidAndInvalidPool(t *testing.T) {
	spec := metallbWebhook()
	require.IsType(t, webhook.Spec{}, spec.Body)
	body := spec.Body.(webhook.Spec)
	accept, deny := body.Accept, body.Deny
	assert.Equal(t, "IPAddressPool", accept["kind"])
	assert.Equal(t, "metallb-system", accept["metadata"].(map[string]any)["namespace"])
	assert.NotEqual(t, accept["spec"], deny["spec"])
	assert.Equal(t, accept["metadata"], deny["metadata"],
		"they differ in what the webhook checks only")
	assert.NotEmpty(t, body.DenyMatch, "without it any refusal would do")
	assert.NotEmpty(t, body.CASecret)
	assert.NotEmpty(t, body.Workloads)
}

// The gate's own dry-run pool must not overlap an existing pool.
func TestMetalLBWebhookGateUsesDocumentationNetwork(t *testing.T) {
	addresses := metallbWebhook().Body.(webhook.Spec).Accept["spec"].(map[string]any)["addresses"].([]any)
	require.Len(t, addresses, 1)
	assert.Equal(t, "192.0.2.1-192.0.2.1", addresses[0])
}

func TestPoolGateChecksSpeakerOfEveryNode(t *testing.T) {
	spec := metallbPoolGate(metallbArgs())
	assert.Equal(t, "strata:timeouts.metallbPool", spec.TimeoutKey)
	require.IsType(t, pool.Spec{}, spec.Body)
	body := spec.Body.(pool.Spec)
	assert.Equal(t, []string{"server-1", "agent-1"}, body.Speakers)
	assert.Equal(t, []string{"10.0.0.200-10.0.0.210"}, body.Addresses)
	assert.Equal(t, metallbPool, body.Name)
}

func TestPoolWaitIsBoundedAndRequiresAddresses(t *testing.T) {
	wait := poolWait(90 * time.Second)
	assert.Len(t, wait, 2)
	assert.EqualValues(t, "jsonpath={.status.availableIPv4}", wait["pulumi.com/waitFor"])
	assert.EqualValues(t, "90", wait["pulumi.com/timeoutSeconds"])
}
