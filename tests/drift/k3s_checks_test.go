package drift_test

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// resetRefused is the last message of K3s if it is to reset a cluster while `server` is set. K3s
// exits before it writes or listens, so the message shows which configuration K3s has read.
const resetRefused = "cannot perform cluster-reset while server URL is set - remove server from " +
	"configuration before resetting"

// somewhere is the address of a server that does not answer. own sets an address of this machine
// for K3s.
const (
	somewhere = "https://127.0.0.1:1"
	own       = "--node-ip=127.0.0.1"
)

func versionIsSaid(t testing.TB, k k3s) {
	out := k.run(t, start{args: []string{"--version"}})
	assert.Regexp(t, `^k3s version `+regexp.QuoteMeta(k.version)+` \([^)]+\)\ngo version go`,
		out.said)
	assert.Zero(t, out.exit)
}

func subcommandsAreThere(t testing.TB, k k3s) {
	out := k.run(t, start{args: []string{"--help"}})
	for _, name := range []string{"server", "agent", "kubectl", "crictl", "ctr", "etcd-snapshot"} {
		assert.Regexp(t, `(?m)^\s+`+name+`\b`, out.said)
	}
}

// undefined is the message before the name of the first unknown flag.
const undefined = "flag provided but not defined: -"

// K3s stops at the first unknown flag. So an error about the last flag proves that it knows all
// flags before.
func flagsOfTheListAreAccepted(t testing.TB, k k3s) {
	for _, role := range []string{"server", "agent"} {
		args := []string{role}
		for _, name := range listedFlags(t, role) {
			if name != "config" && name != "c" { // K3s would read this file
				args = append(args, "-"+name+"=0")
			}
		}
		out := k.run(t, start{args: append(args, "--no-such-flag")})
		assert.Contains(t, out.said, undefined+"no-such-flag", role)
		assert.Equal(t, 1, out.exit, role)
	}
}

// listedFlags returns all names of a role's flags in config/k3s_flags.txt.
func listedFlags(t testing.TB, role string) (names []string) {
	text, err := os.ReadFile(filepath.Join(project, "config", "k3s_flags.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); slices.Contains(strings.Split(fields[0], ","), role) {
			names = append(names, fields[1:]...)
		}
	}
	return names
}

func unknownFlagFails(t testing.TB, k k3s) {
	out := k.run(t, start{args: []string{"server", "--no-such-flag"}})
	assert.Contains(t, out.said, undefined+"no-such-flag")
	assert.Equal(t, 1, out.exit)
}

func resetBesideAServerIsRefused(t testing.TB, k k3s) {
	out := k.run(t, start{args: []string{"server", "--cluster-reset", "--server", somewhere,
		"--token=x", own}})
	assert.Contains(t, out.said, resetRefused)
	assert.Equal(t, 1, out.exit)
}

func dropInsComeAfterTheFile(t testing.TB, k k3s) {
	out := k.run(t, start{
		args: []string{"server", own}, config: "cluster-reset: false\ntoken: x\n",
		dropIn: "cluster-reset: true\nserver: " + somewhere + "\n",
	})
	assert.Contains(t, out.said, resetRefused)
	assert.Equal(t, 1, out.exit)
}

func commandLineComesAfterTheFile(t testing.TB, k k3s) {
	out := k.run(t,
		start{args: []string{"server", own, "--cluster-reset"},
			config: "cluster-reset: false\ntoken: x\nserver: " + somewhere + "\n"})
	assert.Contains(t, out.said, resetRefused)
}

func unknownKeyOfAServerIsSkipped(t testing.TB, k k3s) {
	out := k.run(t,
		start{args: []string{"server", own, "--cluster-reset"},
			config: "no-such-flag: 1\ntoken: x\nserver: " + somewhere + "\n"})
	assert.Contains(t, out.said, "level=warning")
	assert.Contains(t, out.said, "Unknown flag --no-such-flag found in config.yaml, skipping")
	assert.Contains(t, out.said, resetRefused, "it goes on")
}

func unknownKeyOfAnAgentFails(t testing.TB, k k3s) {
	for _, key := range []string{"no-such-flag", "tls-san"} {
		out := k.run(t, start{args: []string{"agent", own},
			config: key + ": 1\ntoken: x\nserver: " + somewhere + "\n"})
		assert.Contains(t, out.said, undefined+key)
		assert.Equal(t, 1, out.exit, key)
	}
}

func variablesAreRead(t testing.TB, k k3s) {
	out := k.run(t,
		start{args: []string{"server", own, "--cluster-reset"},
			env: []string{"K3S_URL=" + somewhere, "K3S_TOKEN=x"}})
	assert.Contains(t, out.said, resetRefused)
	out = k.run(t, start{args: []string{"agent", own}, env: []string{"K3S_TOKEN=x"}})
	assert.Contains(t, out.said, "--server is required", "the token is known")
	assert.Equal(t, 1, out.exit)
}

func otherCAIsRefused(t testing.TB, k k3s) {
	server, other := newClusterServer(t), strings.Repeat("0", 64)
	out := k.run(t, start{args: []string{"server", own, "--server", server.url,
		"--token=K10" + other + "::server:x"}})
	assert.Contains(t, out.said,
		"token CA hash does not match the Cluster CA certificate hash: "+other+" != "+server.caHash)
	assert.Equal(t, 1, out.exit)
}

func barePasswordIsAToken(t testing.TB, k k3s) {
	out := k.run(t, start{args: []string{"server", own, "--server", newClusterServer(t).url,
		"--token=wrong"}})
	assert.Contains(t, out.said, "not authorized", "it is the password that is refused")
}

func agentWithAWrongPasswordWaits(t testing.TB, k k3s) {
	server := newClusterServer(t)
	const line = `level=info msg="Waiting to retrieve agent configuration; server is not ready: failed to retrieve configuration from server: not authorized"`
	out := k.run(t,
		start{args: []string{"agent", own, "--lb-server-port=" + freePort(t), "--server",
			server.url,
			"--token", server.token("node")}, until: line})
	assert.Contains(t, out.said, line)
	assert.Equal(t, -1, out.exit, "it waits until it is ended")
}

// freePort returns an unused port for the agent's load balancer. The default port may be in use.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return port
}

func serverWithAWrongPasswordEnds(t testing.TB, k k3s) {
	server := newClusterServer(t)
	out := k.run(t, start{args: []string{"server", own, "--server", server.url, "--token",
		server.token("server")}})
	assert.Contains(t, out.said,
		`level=fatal msg="Error: preparing server: failed to bootstrap cluster data: not authorized"`)
	assert.Equal(t, 1, out.exit)
}

func serverThatDoesNotAnswerIsAToken(t testing.TB, k k3s) {
	out := k.run(t, start{args: []string{"server", own, "--server", somewhere, "--token=x"}})
	assert.Regexp(t, `failed to validate token: failed to get CA certs: .*connection refused`,
		out.said)
	assert.Equal(t, 1, out.exit)
}
