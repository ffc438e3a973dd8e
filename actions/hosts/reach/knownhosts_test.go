package reach_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh/knownhosts"

	"strata/actions/hosts/reach"
	"strata/config"
)

// ecdsaLine is a public key of another type than keyPair's.
const ecdsaLine = "ecdsa-sha2-nistp256 " +
	"AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg="

// A line has the same meaning as for ssh. HOST is the host's key. OLD is another key of the same
// type, and EC a key of another type.
func TestKnownHostsAreParsedLikeOpenSSH(t *testing.T) {
	key, public := keyPair(t, "")
	_, old := keyPair(t, "")
	both := []string{public, old}
	slices.Sort(both)
	replaced := strings.NewReplacer(" HOST", " "+public, " OLD", " "+old, " EC", " "+ecdsaLine)
	for name, test := range map[string]struct {
		lines string
		port  int
		want  string
	}{
		"an old and a new key": {"10.10.0.11 OLD\n10.10.0.11 HOST\n", 22, strings.Join(both, "\n")},
		"a key twice":          {"10.10.0.11 HOST\nserver-1,10.10.0.11 HOST\n", 22, public},
		"keys of two types":    {"10.10.0.11 EC\n10.10.0.11 HOST\n", 22, public},
		"a line that is cut off": {
			"10.0.0.1 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n10.10.0.11 HOST\n", 22, public},
		"lines that are invalid": {
			"<<<<<<< mine\n=======\n10.0.0.1 ssh-ed25519\n@unknown 10.0.0.1 OLD\n10.10.0.11 HOST\n>>>>>>> theirs\n",
			22, public},
		"an unsupported key type":          {"10.0.0.1 ssh-future AAAA\n10.10.0.11 HOST\n", 22, public},
		"a line without a port":            {"10.10.0.11 HOST\n", 2222, public},
		"a line with the port comes first": {"10.10.0.11 OLD\n[10.10.0.11]:2222 HOST\n", 2222, public},
		"another port's line":              {"[10.10.0.11]:2223 OLD\n10.10.0.11 HOST\n", 2222, public},
		"a hashed name": {
			knownhosts.HashHostname("10.10.0.11") + " HOST\n" +
				knownhosts.HashHostname("10.10.0.12") +
				" OLD\n", 22, public},
		"a hashed name with a port": {
			knownhosts.HashHostname("[10.10.0.11]:2222") + " HOST\n", 2222, public},
		"patterns":                 {"10.10.0.?? HOST\n!10.10.0.11,10.10.* OLD\n", 22, public},
		"a pattern without a port": {"10.10.* HOST\n", 2222, public},
		"a name in upper case":     {"SERVER-1 HOST\n", 22, public},
		"a revoked key beside a good one": {
			"10.10.0.11 OLD\n10.10.0.11 HOST\n@revoked 10.10.0.11 OLD\n", 22, public},
		"a key that is revoked for every host": {
			"[10.10.0.11]:2222 OLD\n10.10.0.11 HOST\n[10.10.0.11]:2222 HOST\n@revoked * OLD\n",
			2222, public},
		"a key that is revoked for another host": {"10.10.0.11 HOST\n@revoked 10.10.0.12 HOST\n", 22,
			public},
		"a certificate authority beside a host": {"@cert-authority 10.10.* OLD\n10.10.0.11 HOST\n",
			22, public},
	} {
		t.Run(name, func(t *testing.T) {
			project := folder(t, map[string]string{"key": key,
				"known": replaced.Replace(test.lines)})
			host := of(t, config.SSH{KeyFile: "key", KnownHosts: "known", Port: test.port}, project)
			assert.Equal(t, test.want, host.Target.HostKey)
		})
	}
}

func TestUnreadableKnownHostsLineIsReportedOnce(t *testing.T) {
	key, public := keyPair(t, "")
	project := folder(t, map[string]string{"key": key,
		"known": "# hosts\n\nbroken\n10.10.0.11 " + public + "\n"})
	hosts := one(config.SSH{KeyFile: "key", KnownHosts: "known"})
	hosts.Nodes = append(hosts.Nodes, hosts.Nodes[0])
	reached, err := reach.Hosts(hosts, project)
	require.NoError(t, err)
	assert.Equal(t,
		[]string{"known_hosts: " + project +
			"/known line 3 cannot be read, and counts for no host; remove or correct it"},
		reached[0].Warnings)
	assert.Empty(t, reached[1].Warnings)
}

// The files that an ssh_config names may be missing, or lack the host. Then Strata pins the key of
// the first contact, as without an ssh_config.
func TestSSHConfigSetsKnownHostsAndHostKeyAlias(t *testing.T) {
	key, public := keyPair(t, "")
	_, other := keyPair(t, "")
	for name, test := range map[string]struct{ config, known, want string }{
		"several files": {"UserKnownHostsFile gone known", "10.10.0.11 " + public + "\n", public},
		"an alias": {"HostKeyAlias web\n  Port 2222\n  UserKnownHostsFile known",
			"10.10.0.11 " + other + "\nweb " + public + "\n", public},
		"a file without the host": {"UserKnownHostsFile known", "10.10.0.12 " + public + "\n", ""},
		"/dev/null":               {"UserKnownHostsFile /dev/null", "10.10.0.11 " + public + "\n", ""},
		"none":                    {"UserKnownHostsFile none", "10.10.0.11 " + public + "\n", ""},
		"no known_hosts keyword":  {"User ops", "10.10.0.11 " + public + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			project := folder(t,
				map[string]string{"key": key, "known": test.known,
					"config": "Host server-1\n  " + test.config + "\n"})
			assert.Equal(t, test.want, of(t, config.SSH{KeyFile: "key", Config: "config"},
				project).Target.HostKey)
		})
	}
	project := folder(t,
		map[string]string{"key": key, "known": "web " + public + "\n",
			"config": "Host gw\n  HostKeyAlias web\n  UserKnownHostsFile known\n"})
	host := of(t, config.SSH{KeyFile: "key", Config: "config", HostKey: other,
		Jump: []config.JumpHost{{Host: "gw"}}},
		project)
	assert.Equal(t, public, host.Target.Jump[0].HostKey)
}

// known_hosts may revoke the key of a host that has no other line. The first contact must refuse
// such a key.
func TestTargetHasRevokedKeysForFirstContact(t *testing.T) {
	key, public := keyPair(t, "")
	_, other := keyPair(t, "")
	for name, known := range map[string]string{
		"revoked for every host":   "@revoked * " + public + "\n",
		"revoked for its name":     "@revoked server-1 " + public + "\n10.10.0.12 " + other + "\n",
		"revoked for another port": "[10.10.0.11]:2222 " + other + "\n@revoked 10.10.0.11 " + public + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			project := folder(t, map[string]string{"key": key, "known": known,
				"config": "Host server-1\n  UserKnownHostsFile known\n"})
			target := of(t, config.SSH{KeyFile: "key", Config: "config"}, project).Target
			assert.Empty(t, target.HostKey)
			assert.Contains(t, target.Revoked, sumOf(t, public))
			state, err := json.Marshal(target)
			require.NoError(t, err)
			assert.NotContains(t, string(state), "evoked")
		})
	}
}

// The error for a key that only OpenSSH can read names the command that converts it, unless an
// agent has the key.
func TestUnsupportedKeyCipherErrorNamesConversionCommand(t *testing.T) {
	for cipher, made := range map[string][]string{
		"aes256-gcm@openssh.com": {"ssh-keygen", "-q", "-t", "ed25519", "-N", "open sesame", "-Z",
			"aes256-gcm@openssh.com", "-f", "key"},
		"PKCS#8": {"ssh-keygen", "-q", "-t", "rsa", "-m", "PKCS8", "-N", "open sesame",
			"-f", "key"},
	} {
		t.Run(cipher, func(t *testing.T) {
			project := t.TempDir()
			run(t, project, made...)
			_, pin := keyPair(t, "")
			ssh1 := config.SSH{KeyFile: "key", HostKey: pin, Passphrase: "open sesame"}
			_, err := reach.Hosts(one(ssh1), project)
			require.ErrorContains(t, err,
				"key: is encrypted with "+cipher+
					", which is not read; run: ssh-keygen -p -Z aes256-ctr -f "+project+"/key")
			assert.NotContains(t, err.Error(), "sesame")
			cfg := config.Config{Hosts: one(ssh1),
				Artifacts: config.Artifacts{Source: config.SourceUpstream}}
			require.ErrorContains(t, cfg.CheckFiles(project),
				"is encrypted with "+cipher+", which is not read")
			agent := ssh1
			agent.Agent = true
			assert.Empty(t, of(t, agent, project).Key)
			cfg.Hosts = one(agent)
			require.NoError(t, cfg.CheckFiles(project))

			run(t, project, "ssh-keygen", "-p", "-Z", "aes256-ctr", "-P", "open sesame", "-N",
				"open sesame", "-f", "key")
			assert.NotEmpty(t, of(t, ssh1, project).Key)
		})
	}
}
