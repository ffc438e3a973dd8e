package e2e

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/internal/reach"
)

// What a person is asked for on the way to the hosts; the step that looks for secrets looks for them.
const (
	keyPassphrase = "open-sesame-that-must-not-leak"
	sudoPassword  = "hunter2-that-must-not-leak"
)

// Hosts as companies have them: their sshd answers a jump host only, keys have a passphrase and sudo asks for a password. The API and the load
// balancer's addresses are on a network that this machine is on.
func TestHostsBehindAJumpHost(t *testing.T) {
	t.Parallel()
	net := network{"stj0", "10.40.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 12}}
	hosts := existingHosts(t, "e2ej", net, append(all, node{"bastion", "agent", 5})...)
	for _, n := range all {
		hosts.must(n.name, "iptables -w -I INPUT -p tcp --dport 22 ! -s "+net.address(5)+" -j DROP")
		hosts.must(n.name, "echo strata:"+sudoPassword+" | chpasswd && sed -i s/NOPASSWD:// /etc/sudoers.d/strata")
	}
	clean := map[string]string{"server-1": hosts.footprint("server-1"), "agent-1": hosts.footprint("agent-1")}
	way := t.TempDir()
	plainKey := hosts.keyFile
	hosts.keyFile = sealed(t, plainKey, way)
	writeFile(t, filepath.Join(way, "ssh_config"), "Host *\n  User strata\n  IdentityFile "+hosts.keyFile+"\nHost bastion\n  HostName "+net.address(5)+
		"\nHost server-1 agent-1\n  ProxyJump bastion\n")
	known := ""
	for _, n := range hosts.nodes {
		known += net.address(n.host) + " " + hosts.must(n.name, "cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub") + "\n"
	}
	writeFile(t, filepath.Join(way, "known_hosts"), known)

	section := map[string]any{
		"driver": "existing", "subnet": net.subnet(), "nodes": hosts.list(all...),
		"ssh": map[string]any{"config": filepath.Join(way, "ssh_config"), "knownHosts": filepath.Join(way, "known_hosts")},
	}
	s := newStack(t, "e2e-jump", map[string]any{
		"hosts": section, "metallb": map[string]any{"addresses": []any{net.pool()}}, "certManager": map[string]any{"enabled": false},
	})
	secret := func(key, value string) {
		s.must(s.pulumi("config", "set", "--secret", "--path", "strata:hosts.ssh."+key, value))
	}
	s.step("a key that stays closed is named with what opens it", func(t *testing.T) {
		s.refused(t, s.up(), "private key is encrypted", "strata:hosts.ssh.passphrase")
	})
	s.step("a wrong sudo password is tried once on each host", func(t *testing.T) {
		secret("passphrase", keyPassphrase)
		secret("sudoPassword", "wrong-"+sudoPassword)
		r := s.up()
		s.refused(t, r, "sudo did not take the password of user strata", "strata:hosts.ssh.sudoPassword")
		assert.NotContains(t, r.output, sudoPassword)
		for _, n := range all {
			tries := hosts.must(n.name, `journalctl --no-pager -q | awk '/pam_unix.sudo:auth.: authentication failure/ { n++ } END { print n + 0 }'`)
			assert.Equal(t, "1", strings.TrimSpace(tries), "a second try may lock the user out")
			hosts.must(n.name, "test ! -e /var/lib/strata")
		}
	})
	s.step("with the right one it comes up through the jump host", func(t *testing.T) {
		secret("sudoPassword", sudoPassword)
		s.must(s.up())
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
		s.must(s.up("--expect-no-changes"))
		s.must(s.health())
	})
	s.step("what is run by hand finds the way, too", func(*testing.T) {
		s.with(reach.PassphraseVariable+"="+keyPassphrase, func() {
			s.with(reach.SudoPasswordVariable+"="+sudoPassword, func() {
				s.must(s.run(strata, "preflight", "--stack", s.name, "--config-file", s.config))
			})
		})
	})
	s.step("no secret is where it must not be", func(t *testing.T) {
		plain := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
		shown := s.must(s.run("pulumi", "stack", "export", "--stack", s.name, "--show-secrets")).output
		for _, text := range []string{keyPassphrase, sudoPassword} {
			assert.NotContains(t, plain, text)
		}
		assert.NotContains(t, shown, keyPassphrase, "the key is open in the state, and the passphrase is not needed there")
	})
	s.step("destroy leaves nothing", func(t *testing.T) {
		s.must(s.destroy())
		for name, before := range clean {
			assert.Equal(t, before, hosts.footprint(name), "what %s has after destroy and had not before (-before +after)", name)
		}
	})
}

// sealed is a key's file again, with a passphrase.
func sealed(t *testing.T, file, dir string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	key, err := ssh.ParseRawPrivateKey(text)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(keyPassphrase))
	require.NoError(t, err)
	closed := filepath.Join(dir, "key")
	writeFile(t, closed, string(pem.EncodeToMemory(block)))
	return closed
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}
