package components

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/members"
)

func TestJoinSettingFollowsRolePeersAndData(t *testing.T) {
	tests := []struct {
		name                string
		role, founds, peers string
		answers             []string
		// data is true if the server is already a member. joined is the content of its join file.
		data   bool
		joined string
		want   string
		// fails is expected in the refusal's message.
		fails string
	}{
		{name: "the first server of a new cluster bootstraps it", role: "server", founds: "true", peers: "10.0.0.2 10.0.0.3", want: "cluster-init: true\n"},
		{name: "a single server bootstraps", role: "server", founds: "true", want: "cluster-init: true\n"},
		{name: "a server that may start a cluster joins a running cluster instead", role: "server", founds: "true", peers: "10.0.0.2 10.0.0.3", answers: []string{"10.0.0.3"}, want: "server: https://10.0.0.3:6443\n"},
		{name: "a further server joins the server that answers", role: "server", founds: "false", peers: "10.0.0.1 10.0.0.3", answers: []string{"10.0.0.1"}, want: "server: https://10.0.0.1:6443\n"},
		{name: "a further server joins another when the first is down", role: "server", founds: "false", peers: "10.0.0.1 10.0.0.3", answers: []string{"10.0.0.3"}, want: "server: https://10.0.0.3:6443\n"},
		{name: "a further server never bootstraps", role: "server", founds: "false", peers: "10.0.0.1 10.0.0.3", fails: "k3s: no server listens on {10.0.0.1,10.0.0.3}:6443, so this node cannot join"},
		{name: "a replaced first server starts no cluster if no peer answers", role: "server", founds: "false", peers: "10.0.0.2 10.0.0.3", joined: "cluster-init: true\n", fails: "no server listens"},
		{name: "a single server that lost its data starts no empty cluster", role: "server", founds: "false", joined: "cluster-init: true\n", fails: "strata restore --new-hosts"},
		{name: "a single server keeps its data", role: "server", founds: "false", data: true, want: "cluster-init: true\n"},
		{name: "an agent joins the server that answers", role: "agent", founds: "false", peers: "10.0.0.1 10.0.0.2", answers: []string{"10.0.0.2"}, want: "server: https://10.0.0.2:6443\n"},
		{name: "an agent never bootstraps", role: "agent", founds: "false", peers: "10.0.0.1", fails: "no server listens"},
		{name: "a member keeps its join file, whichever server answers", role: "server", founds: "true", peers: "10.0.0.2", answers: []string{"10.0.0.2"}, data: true, joined: "cluster-init: true\n", want: "cluster-init: true\n"},
		{name: "a member needs no server that answers", role: "server", founds: "false", peers: "10.0.0.1", data: true, joined: "server: https://10.0.0.9:6443\n", want: "server: https://10.0.0.9:6443\n"},
		{name: "a server whose data are gone joins again", role: "server", founds: "true", peers: "10.0.0.2", answers: []string{"10.0.0.2"}, joined: "cluster-init: true\n", want: "server: https://10.0.0.2:6443\n"},
		{name: "an agent keeps its server", role: "agent", founds: "false", peers: "10.0.0.1 10.0.0.2", answers: []string{"10.0.0.1"}, joined: "server: https://10.0.0.2:6443\n", want: "server: https://10.0.0.2:6443\n"},
		{name: "an agent of a removed server joins another server", role: "agent", founds: "false", peers: "10.0.0.1 10.0.0.2", answers: []string{"10.0.0.1"}, joined: "server: https://10.0.0.3:6443\n", want: "server: https://10.0.0.1:6443\n"},
		{name: "an address that begins like a peer's is not a peer", role: "agent", founds: "false", peers: "10.0.0.11", answers: []string{"10.0.0.11"}, joined: "server: https://10.0.0.1:6443\n", want: "server: https://10.0.0.11:6443\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newFakeHost(t)
			for _, address := range test.answers {
				h.write("answers/"+address, "")
			}
			if test.data {
				h.write(markFile, ownMark)
				h.write("var/lib/rancher/k3s/server/db/etcd/member", "data")
			}
			if test.joined != "" {
				h.write(joinFile, test.joined)
			}
			out, code := h.install(test.role, test.founds, test.peers)
			if test.fails != "" {
				assert.NotZero(t, code)
				assert.Contains(t, out, test.fails)
				assert.Empty(t, h.read("systemctl.log"), "nothing was started")
				return
			}
			require.Zero(t, code, out)
			assert.Equal(t, test.want, h.read(joinFile))
		})
	}
}

// On a loaded host, K3s may restart between the gate of a server and the join of the next node.
func TestJoiningNodeWaitsForServer(t *testing.T) {
	h := newFakeHost(t)
	h.tool("sleep", "mkdir -p ROOT/answers; : > ROOT/answers/10.0.0.2")
	out, code := h.install("server", "false", "10.0.0.2", variable{"PATIENCE", "60"})
	require.Zero(t, code, out)
	assert.Equal(t, "server: https://10.0.0.2:6443\n", h.read(joinFile))
}

// A node that sends the token to an unverified server discloses the token. A node that has joined
// is not restarted to add the CA's hash to its token.
func TestJoiningNodeVerifiesCABeforeSendingToken(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	known := variable{"CA_HASH", hash}
	for name, test := range map[string]struct {
		role, founds string
		data         bool
		had, want    string
	}{
		"the first server of a new cluster": {"server", "true", false, "", "token: secret\n"},
		"a further server":                  {"server", "false", false, "", "token: K10" + hash + "::server:secret\n"},
		"an agent":                          {"agent", "false", false, "", "token: K10" + hash + "::node:secret\n"},
		"a member that founded the cluster": {"server", "false", true, "token: secret\n", "token: secret\n"},
		"a member that joined":              {"server", "false", true, "token: K10aa::server:former\n", "token: K10aa::server:secret\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			h.write(markFile, ownMark)
			if test.founds == "false" {
				h.write("answers/10.0.0.2", "")
			}
			if test.data {
				h.write("var/lib/rancher/k3s/server/db/etcd/member", "data")
			}
			if test.had != "" {
				h.write(configFile, test.had)
			}
			more := []variable{known}
			if test.founds == "true" {
				more = nil
			}
			out, code := h.install(test.role, test.founds, "10.0.0.2", more...)
			require.Zero(t, code, out)
			assert.Equal(t, test.want+"node-name: here\n", h.read(configFile))
			assert.NotContains(t, out, "secret")
		})
	}
}

func TestCAHashIsReadWithoutToken(t *testing.T) {
	const file, hash = "var/lib/rancher/k3s/server/token", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	h := newFakeHost(t)
	h.write(file, "K10"+hash+"::server:secret\n")
	out, code := h.run("k3s-ca-hash.sh", "")
	require.Zero(t, code, out)
	assert.Equal(t, hash, members.CAHashIn(out))
	assert.NotContains(t, out, "secret")
	h.write(file, "secret\n")
	out, code = h.run("k3s-ca-hash.sh", "")
	assert.NotZero(t, code)
	assert.Contains(t, out, "expected K10, 64 hexadecimal digits")
	assert.NotContains(t, out, "secret")
}
