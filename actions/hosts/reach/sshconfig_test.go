package reach_test

import (
	"cmp"
	"crypto/sha1"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/internal/ssh/remote"
)

func TestSSHConfigIsParsedLikeOpenSSH(t *testing.T) {
	key, public := keyPair(t, "")
	_, pin := keyPair(t, "")
	project := folder(t, map[string]string{"key": key})
	require.NoError(t, os.MkdirAll(filepath.Join(project, "conf.d"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(project, "conf.d", "one.conf"), []byte("Host server-1\n  Port 2022\n"), 0o600))
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	t.Setenv("ONES_AGENT", "/run/ones/agent")
	t.Setenv("SSH_AUTH_SOCK", "/tmp/ssh-1/agent.1")
	hop := func(host remote.Hop) []remote.Hop {
		host.HostKey = pin
		return []remote.Hop{host}
	}
	for name, test := range map[string]struct {
		text string
		want remote.Target
	}{
		"an empty file leaves Strata's defaults":  {"", remote.Target{}},
		"a condition that is false":               {"Match host server-1 exec \"false\"\n  User no\n", remote.Target{}},
		"a condition that is true":                {"Match host server-1 exec \"true\"\n  User ops\n", remote.Target{User: "ops"}},
		"a match of several hosts":                {"Match host other,server-1\n  User ops\n", remote.Target{User: "ops"}},
		"tabs, quotes, an equals sign, a comment": {"Host\tserver-?\n\tUser\t\"ops\" # me\n\tPort=2022\n", remote.Target{User: "ops", Port: 2022}},
		"a negated pattern":                       {"Host * !server-1\n  User no\n", remote.Target{}},
		"an include with a space at the end":      {"Include " + project + "/conf.d/*.conf \n", remote.Target{Port: 2022}},
		"a host name with a token":                {"Host server-1\n  HostName %h.Example.org\n", remote.Target{HostName: "server-1.example.org"}},
		"a proxy command":                         {"Host server-1\n  User ops\n  ProxyCommand cloudflared access ssh --hostname %h:%p --as %r%%\n", remote.Target{User: "ops", Means: remote.Means{ProxyCommand: "cloudflared access ssh --hostname server-1:22 --as ops%"}}},
		"a proxy command with variables":          {"Host server-1\n  ProxyCommand sh -c 'to=%h; exec nc ${to} ${ONES_AGENT}'\n", remote.Target{Means: remote.Means{ProxyCommand: "sh -c 'to=server-1; exec nc ${to} ${ONES_AGENT}'"}}},
		"a proxy command for all hosts":           {"Host *\n  ProxyCommand nc -x proxy %h %p\n", remote.Target{Means: remote.Means{ProxyCommand: "nc -x proxy 10.10.0.11 22"}}},
		"a host name for all hosts":               {"Host *\n  HostName %h.example.org\n", remote.Target{HostName: "server-1.example.org"}},
		"ProxyCommand none disables ProxyJump":    {"Host server-1\n  ProxyCommand none\nHost *\n  ProxyJump gw\n", remote.Target{}},
		"a jump host as the user":                 {"Host server-1\n  User ops\n  ProxyJump %r@gw:2200\n", remote.Target{User: "ops", Jump: hop(remote.Hop{Address: "gw", Port: 2200, User: "ops"})}},
		"a jump host behind a command":            {"Host server-1\n  ProxyJump gw\nHost gw\n  ProxyCommand nc -X 5 -x proxy %h %p\n", remote.Target{Jump: hop(remote.Hop{Address: "gw", Port: 22, User: "root", Means: remote.Means{ProxyCommand: "nc -X 5 -x proxy gw 22"}})}},
		"an agent of its own":                     {"Host server-1\n  IdentityAgent ${ONES_AGENT}\n", remote.Target{Agent: true, Means: remote.Means{AgentSocket: "/run/ones/agent"}}},
		"an agent that a variable names":          {"Host server-1\n  IdentityAgent $ONES_AGENT\n", remote.Target{Agent: true, Means: remote.Means{AgentSocket: "/run/ones/agent"}}},
		"the agent named SSH_AUTH_SOCK":           {"Host server-1\n  IdentityAgent SSH_AUTH_SOCK\n", remote.Target{Agent: true}},
		"an agent of an unset variable":           {"Host server-1\n  IdentityAgent $NO_AGENT\n", remote.Target{Means: remote.Means{AgentSocket: remote.NoAgent}}},
		"the agent of the session":                {"Host server-1\n  IdentityAgent $SSH_AUTH_SOCK\n", remote.Target{Agent: true}},
		"the agent of the session, in braces":     {"Host server-1\n  IdentityAgent \"${SSH_AUTH_SOCK}\"\n", remote.Target{Agent: true}},
		"a jump host's own agent":                 {"Host server-1\n  ProxyJump gw\nHost gw\n  IdentityAgent /run/gw\n", remote.Target{Agent: true, Means: remote.Means{AgentSocket: remote.NoAgent}, Jump: hop(remote.Hop{Address: "gw", Port: 22, User: "root", Means: remote.Means{AgentSocket: "/run/gw", Identities: []string{sumOf(t, public)}}})}},
		"a hash of the connection":                {"Host server-1\n  CertificateFile /c/%C\n", remote.Target{Means: remote.Means{Certificates: []string{"/c/" + hashOf(t, "server-1")}}}},
		"a hash of the connection for all hosts":  {"Host *\n  IdentityAgent /run/%C\n", remote.Target{Agent: true, Means: remote.Means{AgentSocket: "/run/" + hashOf(t, "10.10.0.11")}}},
		"the last jump host's name":               {"Host server-1\n  User ops\n  CertificateFile /c/%j\n  ProxyJump %r@gw:2200\n", remote.Target{User: "ops", Means: remote.Means{Certificates: []string{"/c/gw"}}, Jump: hop(remote.Hop{Address: "gw", Port: 2200, User: "ops", Means: remote.Means{Certificates: []string{"/c/gw"}}})}},
		"a variable":                              {"Host server-1\n  CertificateFile ${HOME}/c-cert.pub\n", remote.Target{Means: remote.Means{Certificates: []string{os.Getenv("HOME") + "/c-cert.pub"}}}},
		"no agent":                                {"Host server-1\n  IdentityAgent none\n", remote.Target{Means: remote.Means{AgentSocket: remote.NoAgent}}},
		"a certificate":                           {"Host server-1\n  CertificateFile ~/.ssh/c-cert.pub\n  CertificateFile %d/d-cert.pub\n", remote.Target{Means: remote.Means{Certificates: []string{"~/.ssh/c-cert.pub", home + "/d-cert.pub"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join(project, "known"), []byte("gw,[gw]:2200 "+pin+"\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(project, "config"), []byte(test.text+"\nHost *\n  IdentityFile key\n"), 0o600))
			want := withDefaults(test.want, pin, sumOf(t, public))
			got := of(t, config.SSH{Config: "config", KnownHosts: "known", HostKey: pin}, project)
			assert.Equal(t, want, got.Target)
			assert.Equal(t, key, string(got.Key))
		})
	}
}

// withDefaults completes the Target of server-1. identity is the fingerprint of its key.
func withDefaults(want remote.Target, pin, identity string) remote.Target {
	want.Name, want.Address, want.HostKey = "server-1", "10.10.0.11", pin
	want.Port, want.User = cmp.Or(want.Port, 22), cmp.Or(want.User, "root")
	if want.AgentSocket != remote.NoAgent && want.Agent {
		want.Identities = []string{identity}
	}
	return want
}

// ssh reads a file twice if the file canonicalizes names or has `Match final`. Strata's defaults
// apply only to keywords that neither pass sets.
func TestSSHConfigIsReadInTwoPasses(t *testing.T) {
	key, public := keyPair(t, "")
	other, _ := keyPair(t, "")
	const canonical = "CanonicalizeHostname always\nHost server-1\n  HostName localhost\n"
	for name, test := range map[string]struct {
		text, user, pin, keys string
		port                  int
	}{
		"a canonical name": {canonical + "Host localhost\n  User deploy\n  Port 2222\n", "deploy", "", other, 2222},
		"a final match": {"Match final host server-1\n  User deploy\n  IdentityFile key\n" +
			"  UserKnownHostsFile known\n", "deploy", public, other + key, 22},
		"a canonical match": {canonical + "Match canonical all\n  User deploy\n", "deploy", "", other, 22},
		"the first pass first": {"Host server-1\n  User ops\n  UserKnownHostsFile known\n" +
			"Match final all\n  User no\n  UserKnownHostsFile no\n", "ops", public, other, 22},
		"another host's final match": {"Match final host other\n  User no\n", "root", "", other, 22},
		"nothing for this host":      {canonical + "Host other\n  User no\n", "root", "", other, 22},
		"no second pass":             {"Match canonical all\n  User no\n", "root", "", other, 22},
	} {
		t.Run(name, func(t *testing.T) {
			project := folder(t, map[string]string{"key": key, "other": other,
				"known":  "10.10.0.11 " + public + "\n",
				"config": test.text + "Host *\n  IdentityFile other\n"})
			got := of(t, config.SSH{Config: "config"}, project)
			assert.Equal(t, test.user, got.Target.User)
			assert.Equal(t, test.port, got.Target.Port)
			assert.Equal(t, test.pin, got.Target.HostKey)
			assert.Equal(t, test.keys, string(got.Key))
			says, err := exec.CommandContext(t.Context(), "ssh", "-G", "-F", project+"/config",
				"server-1").Output()
			require.NoError(t, err)
			if test.user != "root" { // root is Strata's default
				assert.Contains(t, string(says), "user "+test.user+"\n")
			}
		})
	}
}

// hashOf returns ssh's hash of a direct connection of root (%C): of %l%h%p%r.
func hashOf(t *testing.T, host string) string {
	t.Helper()
	local, err := os.Hostname()
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha1.Sum([]byte(local+host+"22root")))
}

// sumOf returns the fingerprint of a public key.
func sumOf(t *testing.T, line string) string {
	t.Helper()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	require.NoError(t, err)
	return key.Type() + " " + ssh.FingerprintSHA256(key)
}

// If the SSH client is missing, the error has one line and names the package to install.
func TestMissingSSHClientErrorNamesPackage(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{"key": key, "config": "Host *\n"})
	t.Setenv("PATH", t.TempDir())
	of(t, config.SSH{KeyFile: "key", HostKey: pin}, project)
	_, err := reach.Hosts(one(config.SSH{KeyFile: "key", HostKey: pin, Config: "config"}), project)
	require.ErrorContains(t, err, "config is read by OpenSSH's client, and there is no ssh on this machine: install openssh-client (Debian, Ubuntu)")
	assert.Equal(t, 1, strings.Count(err.Error(), "\n")+1)
}

// The state holds the certificate's path only. So a renewed or missing certificate does not change
// the state.
func TestStateHoldsOnlyPathOfSSHCertificate(t *testing.T) {
	key, pin := keyPair(t, "")
	project := folder(t, map[string]string{"key": key, "key-cert.pub": "a certificate", "alone": key})
	target := of(t, config.SSH{KeyFile: "key", HostKey: pin, Jump: []config.JumpHost{{Host: "gw", HostKey: pin}}}, project).Target
	assert.Equal(t, []string{filepath.Join(project, "key-cert.pub")}, target.Certificates)
	assert.Equal(t, target.Certificates, target.Jump[0].Certificates, "every key is offered on the whole way")
	assert.Empty(t, of(t, config.SSH{KeyFile: "alone", HostKey: pin}, project).Target.Certificates)
}

func TestIdentitiesOnlyRestrictsAgentKeys(t *testing.T) {
	key, public := keyPair(t, "")
	sealed, sealedPublic := keyPair(t, "open sesame")
	_, card := keyPair(t, "")
	project := folder(t, map[string]string{
		"key": key, "sealed": sealed, "card.pub": card + " me@laptop\n",
		"config": "Host *\n  IdentitiesOnly yes\n  IdentityFile card.pub\n  IdentityFile sealed\n  IdentityFile key\n  IdentityFile gone\n",
		"none":   "Host *\n  IdentitiesOnly yes\n  IdentityFile none\n",
	})
	host := of(t, config.SSH{Config: "config", HostKey: public, Agent: true}, project)
	assert.Equal(t, key, string(host.Key))
	assert.True(t, host.Target.IdentitiesOnly)
	require.Len(t, host.Target.Identities, 3)
	for i, line := range []string{card, sealedPublic, public} {
		assert.Equal(t, sumOf(t, line), host.Target.Identities[i])
	}
	assert.Empty(t, of(t, config.SSH{KeyFile: "key", HostKey: public, Agent: true}, project).Target.Means, "a stack without ssh.config stays as it is")
	assert.Empty(t, of(t, config.SSH{Config: "none", HostKey: public, Agent: true}, project).Key, "IdentityFile none")
}

func run(t *testing.T, dir string, command ...string) {
	t.Helper()
	program := exec.CommandContext(t.Context(), command[0], command[1:]...)
	program.Dir = dir
	output, err := program.CombinedOutput()
	require.NoError(t, err, string(output))
}
