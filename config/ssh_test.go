package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// withSSH returns a stack with these keys of hosts.ssh.
func withSSH(keys string) map[string]string {
	raw := good()
	raw["hosts"] = `{"driver":"existing","subnet":"10.10.0.0/24","ssh":{` + keys + `},"nodes":[` +
		server1 + `,{"name":"agent-1","role":"agent","address":"10.10.0.21","ssh":{"jump":[]}}]}`
	return raw
}

func TestSSHSettingsHaveNoDefaultsWithSSHConfig(t *testing.T) {
	cfg, err := config.Load("dev", withSSH(`"config":"~/.ssh/config","port":2222`), noEnv)
	require.NoError(t, err)
	assert.Equal(t, config.SSH{Config: "~/.ssh/config", Port: 2222}, cfg.Hosts.Nodes[0].SSH)
	cfg, err = config.Load("dev", withSSH(`"agent":true`), noEnv)
	require.NoError(t, err)
	assert.Equal(t, config.SSH{Agent: true, User: "root", Port: 22}, cfg.Hosts.Nodes[0].SSH,
		"the agent has the key")
}

func TestNodeCanDisableJumpHosts(t *testing.T) {
	cfg, err := config.Load("dev", withSSH(`"jump":[{"host":"bastion","hostKey":"`+hostKey+
		`"}]`), noEnv)
	require.NoError(t, err)
	assert.Equal(t, []config.JumpHost{{Host: "bastion", HostKey: hostKey}},
		cfg.Hosts.Nodes[0].SSH.Jump)
	assert.Empty(t, cfg.Hosts.Nodes[1].SSH.Jump)
}

func TestSharedSSHErrorsAreReportedOnce(t *testing.T) {
	_, err := config.Load("dev", withSSH(
		`"sudoPassword":"x","jump":[{"host":"bastion"},{"host":"b c","hostKey":"`+hostKey+
			`"}]`), noEnv)
	require.EqualError(t, err, "strata:hosts.ssh.jump[0].hostKey: is not set, and a jump host is "+
		"trusted at no first contact; "+
		"copy one line of its /etc/ssh/ssh_host_ed25519_key.pub, or name a file that has it: ssh.knownHosts\n"+
		"strata:hosts.ssh.jump[1].host: b c is not an address or a name; write host, and user "+
		"and port as keys of their own\n"+
		"strata:hosts.ssh.sudoPassword: is not used: root needs no sudo; remove it, or set ssh.user")
}

func TestUnencryptedSSHPasswordsAreRefused(t *testing.T) {
	raw := withSSH(`"user":"ops","passphrase":"hunter2","sudoPassword":"hunter3"`)
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, "strata:hosts.ssh.passphrase: is not encrypted; run: pulumi "+
		"config set --secret --path 'strata:hosts.ssh.passphrase'")
	require.ErrorContains(t, err, "strata:hosts.ssh.sudoPassword: is not encrypted")
	assert.NotContains(t, err.Error(), "hunter")
	cfg, err := fromPulumi(t, raw, "strata:hosts")
	require.NoError(t, err)
	assert.Equal(t, "hunter2", cfg.Hosts.Nodes[0].SSH.Passphrase)

	const rest = "  strata:metallb: {addresses: [10.10.0.200-10.10.0.210]}\n"
	const hosts = "config:\n  strata:hosts: {driver: existing, subnet: 10.10.0.0/24, ssh: {user: ops, sudoPassword: "
	const nodes = "}, nodes: [{name: a, role: server, address: 10.10.0.11}]}\n"
	_, err = config.OfText("dev", "Pulumi.dev.yaml", []byte(hosts+"hunter2"+nodes+rest))
	require.ErrorContains(t, err, "strata:hosts.ssh.sudoPassword: is not encrypted")
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err = config.OfText("dev", "Pulumi.dev.yaml", []byte(hosts+"{secure: v1:abc}"+nodes+rest))
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.Hosts.Nodes[0].SSH.SudoPassword)
}

func TestEncryptedKeyIsAcceptedWithPassphraseOrAgent(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(project, "key"), privateKey(t, "secret"), 0o600))
	for keys, want := range map[string]string{
		`"keyFile":"key","passphrase":"secret"`: "",
		`"keyFile":"key","agent":true`:          "",
		`"agent":true`:                          "",
		`"agent":true,"jump":[{"host":"a","keyFile":"gone","hostKey":"` + hostKey +
			`"}]`: "strata:hosts.nodes[0].ssh.jump[0].keyFile: gone cannot be read",
		`"keyFile":"key"`: "key is encrypted",
	} {
		cfg, err := config.Load("dev", withSSH(keys), noEnv)
		require.NoError(t, err, keys)
		err = cfg.CheckFiles(project)
		if want == "" {
			require.NoError(t, err, keys)
			continue
		}
		require.ErrorContains(t, err, want, keys)
	}
}
