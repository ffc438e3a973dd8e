package scaffold

import (
	"encoding/json"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/config"
)

var update = flag.Bool("update", false, "write the golden stack files; review the difference")

const ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMWoaFKVbyXjz8KcT82puCR5GMrbghSPjF0H2IdLSNCu"

// proposed returns a proposal with nothing unusual, and three that need all other comments.
func proposed() map[string]Proposal {
	pin := Pin{Key: ed25519, Fingerprint: "ssh-ed25519 SHA256:1234", Known: true}
	node := func(name string, role config.Role, address string) Node {
		return Node{Name: name, Role: role, Host: Host{
			Asked: Asked{"root", address, 22}, Address: netip.MustParseAddr(address), Pin: pin,
			Facts: Facts{OS: "Debian GNU/Linux 12 (bookworm)", Arch: "x86_64", Hostname: name,
				CPUs:      4,
				MemoryMiB: 3900, DiskMiB: 30000},
		}}
	}
	pool, err := config.ParseRange("10.10.0.240-10.10.0.250")
	if err != nil {
		panic(err) // a wrong literal in a test
	}
	plain := Proposal{
		Stack: "plain", SSH: config.SSH{KeyFile: "~/.ssh/id_ed25519"}, User: "root", Port: 22,
		Arch: "amd64", Subnet: netip.MustParsePrefix("10.10.0.0/24"),
		Gateways: []string{"10.10.0.1 on eth0"},
		Nodes: []Node{
			node("server-1", config.RoleServer, "10.10.0.11"),
			node("server-2", config.RoleServer, "10.10.0.12"),
			node("server-3", config.RoleServer, "10.10.0.13"),
			node("agent-1", config.RoleAgent, "10.10.0.21"),
		},
		Networks: Networks{Pods: netip.MustParsePrefix("10.42.0.0/16"),
			Services: netip.MustParsePrefix("10.43.0.0/16")},
		Pool: Pool{Range: pool, From: "10.10.0.11", Asked: 249, Answered: 3},
	}
	unusual := plain
	unusual.Stack = "unusual"
	unusual.SSH.KeyFile = "/a folder/key #1"
	unusual.User = "strata"
	unusual.Port = 2222
	unusual.Gateways = nil
	unusual.Nodes = []Node{node("10", config.RoleServer, "10.10.0.11"),
		node("null", config.RoleAgent, "10.10.0.12")}
	unusual.Nodes[0].Asked.User, unusual.Nodes[0].Asked.Port = "strata", 2222
	unusual.Nodes[1].Pin.Known = false
	unusual.Nodes[1].Facts.OS = "Other\nstrata:k3s: {protect: false}"
	unusual.Networks = Networks{
		Pods:     netip.MustParsePrefix("172.16.0.0/16"),
		Services: netip.MustParsePrefix("172.18.0.0/16"),
		Clashes:  []Clash{{netip.MustParsePrefix("10.0.0.0/8"), "10.10.0.12", "tun0"}},
	}
	unusual.Pool = Pool{Range: pool, Why: "10.10.0.11 has no ping or ip"}
	unusual.FlannelInterface = "eth1"
	differ := plain
	differ.Stack, differ.Nodes, differ.FlannelDiffers = "differ", plain.Nodes[:1], true
	far := unusual
	far.Stack = "far"
	far.SSH = config.SSH{
		Agent: true, Config: "~/.ssh/config", KnownHosts: "~/.ssh/known_hosts",
		Passphrase: config.Sealed, SudoPassword: config.Sealed,
		Jump: []config.JumpHost{{Host: "192.0.2.1", User: "hop", Port: 2200, HostKey: ed25519},
			{Host: "null", HostKey: ed25519}},
	}
	return map[string]Proposal{"plain": plain, "unusual": unusual, "differ": differ, "far": far}
}

// The golden files are for review. The configuration's rules and the editor's schema accept them.
func TestRenderedProposalIsValidStackFile(t *testing.T) {
	schema := schemaOfStackFiles(t)
	for name, proposal := range proposed() {
		t.Run(name, func(t *testing.T) {
			text, err := proposal.Render()
			require.NoError(t, err)
			golden := filepath.Join("testdata", "Pulumi."+name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, text, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(text))
			assert.True(t, strings.HasPrefix(string(text),
				"# yaml-language-server: $schema=docs/config.schema.json\n"))

			cfg, err := config.FromFile(golden)
			require.NoError(t, err)
			require.Len(t, cfg.Hosts.Nodes, len(proposal.Nodes))
			for i, node := range proposal.Nodes {
				found := cfg.Hosts.Nodes[i]
				assert.Equal(t, node.Name, found.Name)
				assert.Equal(t, node.Role, found.Role)
				want := proposal.SSH
				want.User, want.Port, want.HostKey = node.Asked.User, node.Asked.Port, node.Pin.Key
				want.Passphrase, want.SudoPassword = "", "" // the user sets these later
				assert.Equal(t, want, found.SSH)
			}
			assert.True(t, cfg.K3s.Protect, "what a host says stays in its comment")
			assert.Equal(t, proposal.FlannelInterface, cfg.K3s.FlannelInterface)
			assert.Equal(t, proposal.Pods, cfg.K3s.ClusterCIDR)
			assert.Equal(t, proposal.Services, cfg.K3s.ServiceCIDR)

			var value any
			asJSON, err := yaml.YAMLToJSONStrict(text)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(asJSON, &value))
			assert.NoError(t, schema.Validate(value))
		})
	}
}

func schemaOfStackFiles(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.Open("../../docs/config.schema.json")
	require.NoError(t, err)
	defer func() { require.NoError(t, text.Close()) }()
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("stack.json", text))
	schema, err := compiler.Compile("stack.json")
	require.NoError(t, err)
	return schema
}
