package reach_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/internal/ssh/remote"
)

// folder creates a project folder with files, and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// keyPair returns a private key, with a passphrase if one is given, and its public half.
func keyPair(t *testing.T, passphrase string) (private, public string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block)), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// one returns the section hosts with one node and these SSH settings, both shared and the node's.
func one(s config.SSH) config.Hosts {
	return config.Hosts{Driver: config.DriverExisting, SSH: s,
		Nodes: []config.Node{{Name: "server-1", Address: netip.MustParseAddr("10.10.0.11"), SSH: s}}}
}

func of(t *testing.T, s config.SSH, project string) reach.Host {
	t.Helper()
	hosts, err := reach.Hosts(one(s), project)
	require.NoError(t, err)
	require.Len(t, hosts, 1)
	return hosts[0]
}

func TestSSHTargetIsBuiltFromHostsSSHSettings(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{"key": "# mine\n" + key})
	host := of(t, config.SSH{User: "admin", Port: 2222, KeyFile: "key", HostKey: pin}, project)
	assert.Equal(t, remote.Target{Name: "server-1", Address: "10.10.0.11", Port: 2222,
		User: "admin", HostKey: pin}, host.Target)
	assert.Equal(t, "# mine\n"+key, string(host.Key), "it stands in the state")
}

const sshConfig = `
Host server-1
    HostName 192.0.2.11
    User ops
    Port 2022
    IdentityFile node
    ProxyJump far

Host far
    HostName far.example.org
    User hop
    ProxyJump near@198.51.100.1:2200

Host *
    User other
    IdentityFile all
`

func TestUnsetSSHSettingsComeFromSSHConfig(t *testing.T) {
	node, pin := keyPair(t, "")
	all, _ := keyPair(t, "")
	_, far := keyPair(t, "")
	_, near := keyPair(t, "")
	project := folder(t, map[string]string{
		"config": sshConfig, "node": node, "all": all,
		"known": knownhosts.HashHostname("far.example.org") + " " + far + "\n[198.51.100.1]:2200 " +
			near + "\n[192.0.2.11]:2022 " + pin + "\n",
	})
	host := of(t, config.SSH{Config: "config", KnownHosts: "known"}, project)
	want := remote.Target{Name: "server-1", Address: "10.10.0.11", HostName: "192.0.2.11",
		Port: 2022, User: "ops", HostKey: pin, Jump: []remote.Hop{
			{Address: "198.51.100.1", Port: 2200, User: "near", HostKey: near},
			{Address: "far.example.org", Port: 22, User: "hop", HostKey: far},
		}}
	assert.Equal(t, want, host.Target)
	assert.Equal(t, node+all, string(host.Key), "its own key is offered first")

	own := of(t, config.SSH{Config: "config", KnownHosts: "known", User: "me", Port: 23,
		KeyFile: "all", HostKey: pin, Jump: []config.JumpHost{}}, project)
	assert.Equal(t, remote.Target{Name: "server-1", Address: "10.10.0.11", HostName: "192.0.2.11",
		Port: 23, User: "me", HostKey: pin}, own.Target, "the configuration comes first")
}

// ssh skips an IdentityFile that it cannot use. Strata does the same, and warns.
func TestUnusableIdentityFilesAreSkipped(t *testing.T) {
	key, pin := keyPair(t, "")
	sealed, _ := keyPair(t, "open sesame")
	for name, test := range map[string]struct{ text, want string }{
		"encrypted":              {sealed, "private key is encrypted; set its passphrase"},
		"of PuTTY":               {"PuTTY-User-Key-File-3: ssh-ed25519\n", "is a key of PuTTY"},
		"a public key":           {pin, "is a public key"},
		"garbage":                {"garbage\n", "has no whole private key"},
		"empty":                  {"", "has no whole private key"},
		"cut off":                {key[:90], "has no whole private key"},
		"of an unsupported type": {ecParameters + "-----BEGIN DSA PRIVATE KEY-----\n-----END DSA PRIVATE KEY-----\n", "is a key that is not read: "},
	} {
		t.Run(name, func(t *testing.T) {
			project := folder(t, map[string]string{"key": key, "bad": test.text,
				"both": "Host *\n  IdentityFile bad\n  IdentityFile key\n",
				"one":  "Host *\n  IdentityFile bad\n"})
			jump := []config.JumpHost{{Host: "gw", HostKey: pin}}
			host := of(t, config.SSH{Config: "both", HostKey: pin, Jump: jump}, project)
			assert.Equal(t, key, string(host.Key))
			require.Len(t, host.Warnings, 1)
			assert.Contains(t, host.Warnings[0], "IdentityFile bad: "+test.want)
			for _, ssh := range []config.SSH{{Config: "one"}, {KeyFile: "bad"}} {
				ssh.HostKey = pin
				_, err := reach.Hosts(one(ssh), project)
				require.ErrorContains(t, err, "bad: "+test.want)
			}
		})
	}
	project := folder(t, map[string]string{"key": key, "config": "Host *\n  IdentityFile folder\n  IdentityFile key\n"})
	require.NoError(t, os.Mkdir(filepath.Join(project, "folder"), 0o700))
	assert.Equal(t, key, string(of(t, config.SSH{Config: "config", HostKey: pin}, project).Key))
}

// ecParameters is the block that `openssl ecparam -name prime256v1 -genkey` writes before a key.
const ecParameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"

func TestKeyFileOfNullDeviceMeansNoKey(t *testing.T) {
	_, pin := keyPair(t, "")
	assert.Empty(t, of(t, config.SSH{KeyFile: os.DevNull, HostKey: pin}, t.TempDir()).Key)
}

func TestKeyAfterECParametersBlockIsOffered(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{"key": ecParameters + key})
	assert.Equal(t, key, string(of(t, config.SSH{KeyFile: "key", HostKey: pin}, project).Key))
}

// Strata runs `ssh -G` for one name of a host: the node's name if it has a Host block, or else the
// address. `Host *` does not count as a block of the name.
func TestSSHConfigAddressBlockIsUsedWithoutNameBlock(t *testing.T) {
	key, pin := keyPair(t, "")
	other, _ := keyPair(t, "")
	const blocks = "Host 10.10.0.*\n  User ops\n  IdentityFile key\nHost *\n  User me\n  IdentityFile other\n"
	project := folder(t, map[string]string{"key": key, "other": other, "address": blocks,
		"name": "Host server-*\n  Port 24\n" + blocks})
	host := of(t, config.SSH{Config: "address", HostKey: pin}, project)
	assert.Equal(t, "ops", host.Target.User)
	assert.Equal(t, key+other, string(host.Key), "every key that the file names, in its order")

	host = of(t, config.SSH{Config: "name", HostKey: pin}, project)
	assert.Equal(t, "me", host.Target.User)
	assert.Equal(t, 24, host.Target.Port)
	assert.Equal(t, other, string(host.Key))
}

func TestOnlyExistingIdentityFilesAreOffered(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{
		"key": key, "on-a-card.pub": pin + " me@laptop\n",
		"some": "Host server-1\n  IdentityFile gone\n  IdentityFile key\n",
		"none": "Host server-1\n  IdentityFile gone\n",
		"card": "Host server-1\n  IdentityFile on-a-card.pub\n",
	})
	assert.Equal(t, key, string(of(t, config.SSH{Config: "some", HostKey: pin}, project).Key))
	assert.Empty(t, of(t, config.SSH{Config: "none", HostKey: pin, Agent: true}, project).Key)
	assert.Empty(t, of(t, config.SSH{Config: "card", HostKey: pin, Agent: true}, project).Key,
		"the agent has its private key")

	_, err := reach.Hosts(one(config.SSH{KeyFile: "gone", HostKey: pin, Agent: true}), project)
	require.ErrorContains(t, err, "correct its path, or remove it: the agent's "+
		"keys are offered without it")
}

func TestJumpHostInheritsSettingsFromHostAndSSHConfig(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{"config": "Host bastion\n  HostName 198.51.100.7\n  Port 24\n", "key": key})
	jumps := []config.JumpHost{{Host: "bastion", HostKey: pin}, {Host: "10.9.0.1", Port: 25, User: "hop", HostKey: pin}}
	host := of(t, config.SSH{Config: "config", KeyFile: "key", User: "ops", HostKey: pin, Jump: jumps}, project)
	assert.Equal(t, []remote.Hop{
		{Address: "198.51.100.7", Port: 24, User: "ops", HostKey: pin},
		{Address: "10.9.0.1", Port: 25, User: "hop", HostKey: pin},
	}, host.Target.Jump)
	assert.Equal(t, key, string(host.Key))
}

func TestEncryptedKeyIsDecryptedOrLeftToAgent(t *testing.T) {
	sealed, public := keyPair(t, "open sesame")
	project := folder(t, map[string]string{"key": sealed})
	ssh1 := config.SSH{KeyFile: "key", HostKey: public, Passphrase: "open sesame"}
	host := of(t, ssh1, project)
	signer, err := ssh.ParsePrivateKey(host.Key)
	require.NoError(t, err)
	assert.Equal(t, public, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))))
	assert.Equal(t, host.Key, of(t, ssh1, project).Key, "a state does not change with it")

	host = of(t, config.SSH{KeyFile: "key", HostKey: public, Agent: true}, project)
	assert.Empty(t, host.Key)
	assert.True(t, host.Target.Agent)
	assert.Empty(t, of(t, config.SSH{HostKey: public, Agent: true}, project).Key, "an agent needs no key file")

	sealedInFile := config.SSH{KeyFile: "key", HostKey: public, Passphrase: config.Sealed}
	_, err = reach.Hosts(one(sealedInFile), project)
	require.ErrorContains(t, err, "set its passphrase in STRATA_SSH_PASSPHRASE, or in "+
		"STRATA_SSH_PASSPHRASE_SERVER_1 for this host alone")
	t.Setenv(reach.PassphraseVariable, "open sesame")
	assert.NotEmpty(t, of(t, sealedInFile, project).Key)
}

func TestKeyringContainsSudoPassword(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{"key": key})
	all := config.SSH{KeyFile: "key", HostKey: pin, User: "ops", SudoPassword: "hunter2"}
	assert.Equal(t, key+string(remote.SudoPassword("hunter2", "")), string(of(t, all, project).Key))

	hosts := one(all)
	hosts.Nodes[0].SSH.SudoPassword = "hunter3"
	own, err := reach.Hosts(hosts, project)
	require.NoError(t, err)
	assert.Equal(t, key+string(remote.SudoPassword("hunter3", "server-1")), string(own[0].Key))

	all.User = "root"
	assert.Equal(t, key, string(of(t, all, project).Key), "root needs none")

	sealed := config.SSH{KeyFile: "key", HostKey: pin, User: "ops", SudoPassword: config.Sealed}
	_, err = reach.Hosts(one(sealed), project)
	require.ErrorContains(t, err, reach.SudoPasswordVariable)
	t.Setenv(reach.SudoPasswordVariable, "hunter2")
	assert.Equal(t, key+string(remote.SudoPassword("hunter2", "")), string(of(t, sealed, project).Key))
}

// A command run by hand cannot decrypt the stack file's passwords, and reads them from environment
// variables. A variable for one host has priority over the variable for all hosts.
func TestPasswordVariableOfHostOverridesSharedVariable(t *testing.T) {
	key, pin := keyPair(t, "")
	sealed, _ := keyPair(t, "open sesame")
	project := folder(t, map[string]string{"key": key, "sealed": sealed})
	hosts := one(config.SSH{KeyFile: "key", HostKey: pin, User: "ops", SudoPassword: config.Sealed})
	agent := hosts.Nodes[0]
	agent.Name, agent.SSH.KeyFile, agent.SSH.Passphrase = "agent-1", "sealed", config.Sealed
	hosts.Nodes = append(hosts.Nodes, agent)
	t.Setenv(reach.SudoPasswordVariable, "hunter2")
	t.Setenv(reach.SudoPasswordVariable+"_AGENT_1", "hunter3")
	t.Setenv(reach.PassphraseVariable, "of another key")
	t.Setenv(reach.PassphraseVariable+"_AGENT_1", "open sesame")
	reached, err := reach.Hosts(hosts, project)
	require.NoError(t, err)
	assert.Contains(t, string(reached[0].Key), string(remote.SudoPassword("hunter2", "")))
	assert.Contains(t, string(reached[1].Key), string(remote.SudoPassword("hunter3", "agent-1")))
}

func TestErrorOfSSHSettingsNamesHostAndProblem(t *testing.T) {
	key, pin := keyPair(t, "")
	sealed, _ := keyPair(t, "open sesame")
	project := folder(t, map[string]string{
		"key": key, "sealed": sealed, "known": "other.example.org " + pin + "\n",
		"loop":   "Host server-1 b\n  ProxyJump b\n",
		"circle": "Host server-1 b\n  ProxyJump a\nHost a\n  ProxyJump b\n", "bad": "Host server-1\n  Users x\n",
		"public": pin, "nokey": "Host server-1\n  IdentityFile gone\n", "ca": "@cert-authority 10.10.0.11 " + pin + "\n",
		"revoked": "10.10.0.11 " + pin + "\n@revoked * " + pin + "\n",
		"port":    "Host server-1\n  Port 70000\n",
		"revokes": "Host server-1\n  RevokedHostKeys revoked\n",
	})
	for name, test := range map[string]struct {
		ssh  config.SSH
		want string
	}{
		"a missing key file": {config.SSH{KeyFile: "gone", HostKey: pin},
			"private key: open " + project + "/gone: no such file or directory; name a private key that may " +
				"log in, or set strata:hosts.ssh.agent to true"},
		"a public key":                        {config.SSH{KeyFile: "public", HostKey: pin}, "public: is a public key: name its private key, or set strata:hosts.ssh.agent to true if an agent"},
		"a missing key file of an ssh_config": {config.SSH{HostKey: pin, Config: "nokey"}, "private key: "},
		"a CA's key alone": {config.SSH{KeyFile: "key", KnownHosts: "ca"},
			"ca has no key of 10.10.0.11:22: add its own key there; a CA's (@cert-authority) is not read"},
		"a revoked key": {config.SSH{KeyFile: "key", KnownHosts: "revoked"},
			"the key of 10.10.0.11:22 is revoked: replace the line"},
		"no passphrase": {config.SSH{KeyFile: "sealed", HostKey: pin},
			"sealed: private key is encrypted; set its passphrase: pulumi config set --secret " +
				"--path strata:hosts.ssh.passphrase"},
		"another passphrase": {config.SSH{KeyFile: "sealed", HostKey: pin,
			Passphrase: "sesame"}, "and not with this passphrase"},
		"a missing ssh_config":      {config.SSH{KeyFile: "key", HostKey: pin, Config: "gone"}, "ssh_config: "},
		"a jump host before itself": {config.SSH{KeyFile: "key", HostKey: pin, Config: "loop"}, "jumphost loop via b"},
		"jump hosts in a circle": {config.SSH{KeyFile: "key", HostKey: pin, Config: "circle",
			KnownHosts: "known"}, "do they name each other?"},
		"a line that ssh refuses": {config.SSH{KeyFile: "key", HostKey: pin, Config: "bad"},
			"ssh_config: ssh -G -F bad server-1: bad: line 2: Bad configuration option: users"},
		"an invalid port": {config.SSH{HostKey: pin, Config: "port"}, "Bad port '70000'"},
		"a list of revoked keys": {config.SSH{HostKey: pin, Config: "revokes"},
			"revokes: server-1: RevokedHostKeys is not read, so its keys would be accepted; write them as @revoked"},
		"an unknown host": {config.SSH{KeyFile: "key", KnownHosts: "known"},
			"known has no key of 10.10.0.11:22: log in there once"},
		"a jump host without a host key": {config.SSH{KeyFile: "key", HostKey: pin,
			Jump: []config.JumpHost{{Host: "hop"}}}, "jump host hop has no pin"},
		"an unknown jump host": {config.SSH{KeyFile: "key", HostKey: pin, KnownHosts: "known",
			Jump: []config.JumpHost{{Host: "hop"}}}, "known has no key of hop:22"},
		"a missing known_hosts file": {config.SSH{KeyFile: "key", KnownHosts: "gone"}, "known_hosts: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := reach.Hosts(one(test.ssh), project)
			require.ErrorContains(t, err, test.want)
			assert.Contains(t, err.Error(), "strata:hosts.nodes[0].ssh of server-1: ")
			assert.NotContains(t, err.Error(), "sesame")
		})
	}
}

func TestUnreadableKeyIsReportedOnceForEachHost(t *testing.T) {
	_, pin := keyPair(t, "")
	sealed, _ := keyPair(t, "open sesame")
	project := folder(t, map[string]string{"sealed": sealed, "alike": "Host *\n  IdentityFile sealed\n"})
	alike := config.SSH{Config: "alike", HostKey: pin, Jump: []config.JumpHost{{Host: "hop", HostKey: pin}}}
	_, err := reach.Hosts(one(alike), project)
	require.ErrorContains(t, err, "sealed: private key is encrypted")
	assert.Equal(t, 1, strings.Count(err.Error(), "is encrypted"), "once for the host and its jump host")
	both := one(config.SSH{KeyFile: "gone", HostKey: pin})
	both.Nodes = append(both.Nodes, both.Nodes[0])
	both.Nodes[1].Name = "agent-1"
	_, err = reach.Hosts(both, project)
	require.ErrorContains(t, err, "of server-1: ")
	require.ErrorContains(t, err, "of agent-1: ")
}

// ssh looks up names in known_hosts in lower case.
func TestKnownHostsLookupIgnoresCase(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{
		"key": key, "known": "server1.example.com " + pin + "\n",
		"config": "Host server-1\n  HostName Server1.Example.COM\n  ProxyJump jdoe@corp.example@Server1.example.com\n",
	})
	host := of(t, config.SSH{KeyFile: "key", Config: "config", KnownHosts: "known"}, project)
	assert.Equal(t, pin, host.Target.HostKey)
	assert.Equal(t, []remote.Hop{{Address: "Server1.example.com", Port: 22,
		User: "jdoe@corp.example", HostKey: pin}}, host.Target.Jump, "a user may have an @")
}

// The API is on the first server. A host with another route does not change the tunnel.
func TestTunnelUsesJumpHostsOfFirstServer(t *testing.T) {
	private, public := keyPair(t, "")
	project := folder(t, map[string]string{"key": private})
	bastion := []config.JumpHost{{Host: "bastion", HostKey: public}}
	hosts := one(config.SSH{KeyFile: "key", Jump: bastion, DynamicForward: 1080})
	hosts.Nodes[0].Role, hosts.Nodes[0].SSH.DynamicForward = config.RoleServer, 0
	direct := hosts.Nodes[0]
	direct.Name, direct.Role, direct.SSH.Jump = "agent-1", config.RoleAgent, []config.JumpHost{}
	hosts.Nodes = append(hosts.Nodes, direct)
	reached, err := reach.Hosts(hosts, project)
	require.NoError(t, err)
	assert.Equal(t, 1080, reached[0].Target.DynamicForward)
	assert.Zero(t, reached[1].Target.DynamicForward)
	way, key, err := reach.Tunnel(hosts, project)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:1080", way.Address())
	assert.Equal(t, "bastion", way.Via[0].Address)
	assert.Equal(t, private, string(key))

	hosts.Nodes[0].SSH.Jump = nil
	_, err = reach.Hosts(hosts, project)
	require.ErrorContains(t, err, "strata:hosts.ssh.dynamicForward: is set, and the first server "+
		"is reached without a jump host")
	hosts.SSH.DynamicForward = 0
	way, _, err = reach.Tunnel(hosts, project)
	require.NoError(t, err)
	assert.False(t, way.There())
}
