package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/internal/ssh/remote"
)

// waysScript creates users with different logins: u-cert by a certificate of $CA, u-two by two keys
// one after the other, and u-one by the last of $KEYS.
const waysScript = `set -eu
for user in u-cert u-two u-one; do
	useradd -m -s /bin/sh "$user"
	mkdir -p "/home/$user/.ssh"
	touch "/home/$user/.ssh/authorized_keys"
	echo "$user ALL=(ALL) NOPASSWD:ALL" > "/etc/sudoers.d/way-$user"
done
echo "$KEYS" | head -n 2 > /home/u-two/.ssh/authorized_keys
echo "$KEYS" | tail -n 1 > /home/u-one/.ssh/authorized_keys
chown -R u-two: /home/u-two/.ssh
chown -R u-one: /home/u-one/.ssh
echo "$CA" > /etc/ssh/users-ca.pub
printf 'Port 22\nPort 2222\nTrustedUserCAKeys /etc/ssh/users-ca.pub\n' > /etc/ssh/sshd_config.d/ways.conf
printf 'Match User u-two\n\tAuthenticationMethods publickey,publickey\n' >> /etc/ssh/sshd_config
systemctl restart ssh
`

// rejected is the reason for a login whose keys sshd rejects.
const rejected = "private key not accepted"

// ways has ssh_configs for server-1, and known_hosts, with placeholders. ADDRESS and HOST are the
// host's address and key, and OLD is another key. DIR is the folder of the keys, and BELOW its path
// from the home directory.
var ways = []struct {
	name, config, known string
	// refused is Strata's error if neither ssh nor Strata can log in; empty if both can.
	refused string
}{
	{name: "the old and the new key", config: "User u-one\nIdentityFile DIR/key-8",
		known: "ADDRESS OLD\nADDRESS HOST"},
	{name: "another key alone", config: "User u-one\nIdentityFile DIR/key-8", known: "ADDRESS OLD",
		refused: "is not the pinned one"},
	{name: "a broken line", config: "User u-one\nIdentityFile DIR/key-8",
		known: "<<<<<<< mine\n10.0.0.1 ssh-ed25519 AAAA\nADDRESS HOST"},
	{name: "a line without a port", config: "User u-one\nPort 2222\nIdentityFile DIR/key-8",
		known: "ADDRESS HOST"},
	{name: "another key is revoked", config: "User u-one\nIdentityFile DIR/key-8",
		known: "@revoked * OLD\nADDRESS OLD\nADDRESS HOST"},
	{name: "the key is revoked", config: "User u-one\nIdentityFile DIR/key-8",
		known: "ADDRESS HOST\n@revoked ADDRESS HOST", refused: "is revoked"},
	{name: "an alias", config: "User u-one\nHostKeyAlias web\nPort 2222\nIdentityFile DIR/key-8",
		known: "ADDRESS OLD\nweb HOST"},
	{name: "a certificate beside the key", config: "User u-cert\nIdentityFile DIR/certified"},
	{name: "a certificate elsewhere", config: "User u-cert\nIdentityFile DIR/key-1\nCertificateFile DIR/elsewhere.pub"},
	{name: "a key without its certificate", config: "User u-cert\nIdentityFile DIR/key-2",
		refused: rejected},
	{name: "one of a full agent", config: "User u-one\nIdentityAgent DIR/agent\nIdentityFile " +
		"DIR/key-8.pub\nIdentitiesOnly yes"},
	{name: "one of a full agent first", config: "User u-one\nIdentityAgent DIR/agent\nIdentityFile DIR/key-8.pub"},
	{name: "others of a full agent only",
		config: "User u-one\nIdentityAgent DIR/agent\nIdentityFile DIR/key-1.pub\n" +
			"IdentitiesOnly yes", refused: rejected},
	{name: "two keys, one after the other",
		config: "User u-two\nIdentityFile DIR/key-3\nIdentityFile DIR/key-1\nIdentityFile DIR/key-2"},
	{name: "two keys of an agent", config: "User u-two\nIdentityAgent DIR/agent"},
	{name: "one key where two are asked for", config: "User u-two\nIdentityFile DIR/key-1",
		refused: "asks for publickey besides"},
	{name: "a ProxyCommand", config: "User u-one\nIdentityFile DIR/key-8\nProxyCommand ssh -F " +
		"DIR/plain -W %h:%p u-one@ADDRESS"},
	{name: "a ProxyCommand to the jump host",
		config: "User u-one\nIdentityFile DIR/key-8\nProxyJump gw\nHost gw\nUser u-one\nHostName ADDRESS\n" +
			"IdentityFile DIR/key-8\nProxyCommand ssh -F DIR/plain -W %h:%p %r@ADDRESS"},
	{name: "a ProxyCommand none", config: "User u-one\nIdentityFile DIR/key-8\nProxyCommand " +
		"none\nHost *\nProxyJump nowhere.invalid"},
	{name: "a Match that is false", config: "User u-one\nIdentityFile DIR/key-8\nMatch host " +
		"server-1 exec \"false\"\nPort 9"},
	{name: "a Match of several hosts", config: "IdentityFile DIR/key-8\nMatch host " +
		"other,ADDRESS\nUser u-one"},
	{name: "a variable", config: "User u-one\nIdentityFile ${HOME}/BELOW/key-8"},
	{name: "a jump host as the user", config: "User u-one\nIdentityFile DIR/key-8\nProxyJump " +
		"%r@gw\nHost gw\nHostName ADDRESS\nIdentityFile DIR/key-8"},
}

// OpenSSH's client and Strata try each login on Debian's sshd. Both must succeed, or both must
// fail.
func TestLoginsMatchOpenSSH(t *testing.T) {
	t.Parallel()
	net := network{"stf0", "10.52.0"}
	hosts := existingHosts(t, "e2eways", net, node{"server-1", "server", 11})
	dir, keys := wayKeys(t)
	hosts.must("server-1", "KEYS="+remote.Quote(strings.Join(keys, "\n"))+" CA="+
		remote.Quote(wayFile(t, dir, "ca.pub"))+"\n"+waysScript)
	below, err := filepath.Rel(os.Getenv("HOME"), dir)
	require.NoError(t, err)
	fill := strings.NewReplacer("ADDRESS", net.address(11), "DIR", dir, "BELOW", below, "OLD",
		strings.TrimSpace(wayFile(t, dir, "old.pub")),
		"HOST", strings.TrimSpace(hosts.must("server-1",
			"cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")))
	writeFile(t, filepath.Join(dir, "plain"),
		fill.Replace("IdentityFile DIR/key-8\nStrictHostKeyChecking no\nUserKnownHostsFile "+
			"/dev/null\nLogLevel ERROR\n"))
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			known := way.known
			if known == "" {
				known = "ADDRESS HOST"
			}
			file := filepath.Join(t.TempDir(), "config")
			knownFile := filepath.Join(t.TempDir(), "known_hosts")
			writeFile(t, knownFile, fill.Replace(known)+"\n")
			text := "StrictHostKeyChecking yes\nGlobalKnownHostsFile " +
				"/dev/null\nUserKnownHostsFile " + knownFile +
				"\nHost server-1\nHostName ADDRESS\n" + way.config + "\n"
			writeFile(t, file, fill.Replace(text))
			said, byClient := exec.CommandContext(t.Context(), "ssh", "-F", file, "-o",
				"BatchMode=yes", "server-1", "true").CombinedOutput()
			byStrata := loginAs(t, file)
			if way.refused != "" {
				assert.Error(t, byClient)
				assert.ErrorContains(t, byStrata, way.refused)
				return
			}
			require.NoError(t, byClient, "%s", said)
			require.NoError(t, byStrata)
		})
	}
}

// loginAs logs in like a stack with an ssh_config, and runs a script.
func loginAs(t *testing.T, file string) error {
	t.Helper()
	ssh := config.SSH{Config: file}
	hosts, err := reach.Hosts(config.Hosts{Driver: config.DriverExisting, SSH: ssh,
		Nodes: []config.Node{{Name: "server-1", SSH: ssh}}}, t.TempDir())
	if err != nil {
		return err
	}
	client, err := remote.Dial(t.Context(), hosts[0].Target, hosts[0].Key)
	if err != nil {
		return err
	}
	defer func() { assert.NoError(t, client.Close()) }()
	result, err := client.Run(t.Context(), "id -un", nil)
	assert.Equal(t, "root\n", string(result.Stdout))
	return err
}

// wayKeys creates the keys of the story, and an agent with the eight keys key-1 to key-8. It
// returns the folder and the public keys of those eight.
func wayKeys(t *testing.T) (dir string, public []string) {
	t.Helper()
	dir = t.TempDir()
	run := func(command ...string) {
		program := exec.CommandContext(t.Context(), command[0], command[1:]...)
		program.Dir, program.Env = dir, append(os.Environ(),
			"SSH_AUTH_SOCK="+filepath.Join(dir, "agent"))
		output, err := program.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	agent := exec.Command("ssh-agent", "-D", "-a", filepath.Join(dir, "agent")) //nolint:noctx // killed at the end
	require.NoError(t, agent.Start())
	t.Cleanup(func() {
		assert.NoError(t, agent.Process.Kill())
		_ = agent.Wait() // it was killed
	})
	require.Eventually(t, func() bool {
		_,
			err := os.Stat(filepath.Join(dir, "agent"))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	for _, name := range []string{"ca", "old", "certified"} {
		run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name)
	}
	for i := range 8 {
		name := fmt.Sprintf("key-%d", i+1)
		run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name)
		run("ssh-add", "-q", name)
		public = append(public, strings.TrimSpace(wayFile(t, dir, name+".pub")))
	}
	run("ssh-keygen", "-q", "-s", "ca", "-I", "story", "-n", "u-cert", "certified.pub", "key-1.pub")
	require.NoError(t, os.Rename(filepath.Join(dir, "key-1-cert.pub"),
		filepath.Join(dir, "elsewhere.pub")))
	return dir, public
}

func wayFile(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(text)
}
