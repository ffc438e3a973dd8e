package members

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

func stateResource(name, kind, more string) string {
	return fmt.Sprintf(`{"urn":"urn:pulumi:dev::strata::%[2]s::%[1]s","type":"%[2]s"%[3]s}`, name,
		kind, more)
}

func command(name, subcommand, stdin string) string {
	return stateResource(name, stackstate.LocalCommand,
		fmt.Sprintf(`,"inputs":{"create":"exec .strata/bin/strata %s","stdin":%s}`,
			subcommand, stdin))
}

// exporting returns a Pulumi that exports a state with resources in JSON: shown if --show-secrets
// is set, and encrypted otherwise.
func exporting(shown, encrypted string) stackstate.Pulumi {
	return func(_ context.Context, _ []byte, args ...string) ([]byte, error) {
		resources := encrypted
		for _, arg := range args {
			if arg == "--show-secrets" {
				resources = shown
			}
		}
		return []byte(`{"version":3,"deployment":{"resources":[` + resources + `]}}`), nil
	}
}

const (
	membersInput = `"{\"members\":[{\"name\":\"server-1\",\"address\":\"10.0.0.11\",\"hostKey\":\"ssh-ed25519 AAA1\",\"role\":\"server\"},` +
		`{\"name\":\"agent-1\",\"address\":\"10.0.0.21\",\"role\":\"agent\"}]}"`
	credentialInput = `"{\"servers\":[{\"name\":\"server-1\",\"address\":\"10.0.0.11\"}]}"`
	secretInput     = `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"v1:x"}`
)

// The admission writes its own output before the install, so that output does not prove a cluster.
func TestStateShowsWhetherClusterExisted(t *testing.T) {
	identity := stateResource("k3s-cluster", "random:index/randomId:RandomId",
		`,"outputs":{"hex":"00ff"}`)
	admitted := command("k3s-server-1-admission", "admit", `"{}"`)
	for name, test := range map[string]struct {
		state, encrypted string
		cluster          bool
		servers          int
	}{
		"nothing": {identity, identity, false, 0},
		"a kill before the install": {identity + "," + admitted, identity + "," + admitted,
			false, 0},
		"a certificate": {identity + "," +
			command("k3s-credential", "credential", credentialInput),
			identity + "," + command("k3s-credential", "credential", credentialInput), true, 1},
		"its members": {identity + "," +
			command("k3s-members", "members", membersInput),
			identity + "," + command("k3s-members", "members", membersInput), true, 1},
		"members behind a jump host": {identity + "," +
			command("k3s-members", "members", membersInput),
			identity + "," + command("k3s-members", "members", secretInput), true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			past, err := ReadPast(t.Context(), exporting(test.state, test.encrypted), "dev")
			require.NoError(t, err)
			assert.Equal(t, test.cluster, past.Cluster)
			assert.Equal(t, "00ff", past.Identity)
			assert.Len(t, past.Servers, test.servers)
		})
	}
}

// ReadPast decrypts the state's secrets if the hash is one of them. The state has no hash if the
// update was killed before it read the hash.
func TestStateShowsHashOfClusterCA(t *testing.T) {
	credential := command("k3s-credential", "credential", credentialInput)
	said := func(stdout string) string {
		return credential + "," + stateResource("k3s-ca-hash", stackstate.LocalCommand,
			`,"outputs":{"stdout":`+stdout+`}`)
	}
	const shown = `"k3s: the cluster's CA has the hash 00ff\n"`
	for name, test := range map[string]struct{ state, encrypted, want string }{
		"plain":    {"", said(shown), "00ff"},
		"secret":   {said(shown), said(secretInput), "00ff"},
		"not read": {credential, credential, ""},
	} {
		t.Run(name, func(t *testing.T) {
			past, err := ReadPast(t.Context(), exporting(test.state, test.encrypted), "dev")
			require.NoError(t, err)
			assert.True(t, past.Cluster)
			assert.Equal(t, test.want, past.CAHash)
		})
	}
}

func TestServerIsIdentifiedByHostKeyOrElseAddress(t *testing.T) {
	past := Past{Cluster: true, Servers: []remote.Target{{Address: "10.0.0.11",
		HostKey: "ssh-ed25519 AAA1\n"}, {Address: "10.0.0.12", HostKey: "ssh-ed25519 AAA2"}}}
	for name, test := range map[string]struct {
		server remote.Target
		keeps  bool
	}{
		"its address": {remote.Target{Address: "10.0.0.12"}, true},
		"its address and key": {remote.Target{Address: "10.0.0.11",
			HostKey: "ssh-ed25519 AAA1 root@a"}, true},
		"its key at another address": {remote.Target{Address: "10.0.0.99",
			HostKey: "ssh-ed25519 AAA2"}, true},
		"its address with another key": {remote.Target{Address: "10.0.0.11",
			HostKey: "ssh-ed25519 AAA9"}, false},
		"another address": {remote.Target{Address: "10.0.0.99"}, false},
		"another address and key": {remote.Target{Address: "10.0.0.99",
			HostKey: "ssh-ed25519 AAA9"}, false},
		"the address of one, a new host": {remote.Target{Address: "10.0.0.12",
			HostKey: "ssh-rsa BBB"}, false},
	} {
		assert.Equal(t, test.keeps, past.Keeps([]remote.Target{{Address: "10.0.0.98"},
			test.server}), name)
	}
}

// If a cluster has lost all servers, updates fail until a restore has copied the cluster's data to
// a new host.
func TestAllNewServersAreRefusedUntilOneIsRestored(t *testing.T) {
	host := sshtest.Start(t)
	says := ""
	host.Handler = func(call sshtest.Call) int {
		_, err := io.WriteString(call.Stdout, says)
		assert.NoError(t, err)
		return 0
	}
	target := host.Target()
	target.Name = "server-1"
	past := Past{Cluster: true, Identity: "00ff",
		Servers: []remote.Target{{Name: "server-1", Address: "10.0.0.11"}}}
	logins := []Login{{Target: target, Key: host.PrivateKey()}}
	err := past.Allow(t.Context(), "dev", logins)
	require.ErrorContains(t, err, "found none: had server-1 10.0.0.11, to be server-1 "+
		target.Address+" (")
	require.ErrorContains(t, err, "SHA256:", "its host key, which was not that of a server")
	require.ErrorContains(t, err, "strata restore -s dev --new-hosts --file SNAPSHOT")
	says = "yes\n"
	require.NoError(t, past.Allow(t.Context(), "dev", logins))
	logins[0].Target.HostKey = ""
	require.Error(t, past.Allow(t.Context(), "dev", logins), "no person has vouched for it")
	require.NoError(t, Past{}.Allow(t.Context(), "dev", logins), "there was no cluster")
}

// The hosts have no trace of the cluster; only the state shows that it existed.
func TestFreshServerIsRefusedWhileStateHasCluster(t *testing.T) {
	fresh := sshtest.Start(t)
	fresh.Handler = func(sshtest.Call) int { return 0 }
	past := Past{}
	in := Admission{
		Founds: "dev", Node: Member{Target: fresh.Target(), Role: "server"},
		Past: func(context.Context, string) (Past, error) { return past, nil },
	}
	require.NoError(t, in.Admit(t.Context(), fresh.PrivateKey(), io.Discard))
	past.Cluster = true
	err := in.Admit(t.Context(), fresh.PrivateKey(), io.Discard)
	require.ErrorContains(t, err, "strata restore -s dev --new-hosts")
	fresh.Handler = func(call sshtest.Call) int {
		_, err := io.WriteString(call.Stdout, "restored\n")
		assert.NoError(t, err)
		return 0
	}
	require.NoError(t, in.Admit(t.Context(), fresh.PrivateKey(), io.Discard))
}
