package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The story makes one mistake after the other. Each must give one clear error before anything is
// changed, and the update after the last mistake must succeed.
func TestMistakesAreReportedAndNextUpdateSucceeds(t *testing.T) {
	t.Parallel()
	net := network{"str0", "10.15.0"}
	server := node{"server-1", "server", 11}
	agent := node{"agent-1", "agent", 21}
	absent := node{"agent-9", "agent", 99}
	hosts := existingHosts(t, "e2er", net, server, agent)
	s := newStack(t, "e2e-refusals", impatient(hosts, server))

	s.step("all mistakes of the configuration are reported before any change", func(t *testing.T) {
		wrong := impatient(hosts, server)
		wrong["metallb"] = map[string]any{"enabled": true,
			"addresses": []any{"10.99.0.1-10.99.0.9"}, "adresses": []any{}}
		wrong["k3s"] = map[string]any{"version": "1.30"}
		s.configure(wrong)
		s.refused(t, s.pulumi("preview"), "adresses", "addresses", "10.99.0.1-10.99.0.9",
			net.subnet(), "v1.36", "1.30")
		assert.Empty(t, s.resources(), "nothing was made")
	})
	s.step("an SSH key that the host does not accept is named", func(t *testing.T) {
		wrong := impatient(hosts, server)
		other := filepath.Join(t.TempDir(), "other-key")
		require.NoError(t, os.WriteFile(other, newLoginKey(t), 0o600))
		wrong["hosts"].(map[string]any)["ssh"].(map[string]any)["keyFile"] = other
		s.configure(wrong)
		s.refused(t, s.up(), "server-1", "key", "authorized_keys")
	})
	s.configure(impatient(hosts, server))
	s.step("a full disk is named", func(t *testing.T) {
		hosts.fault(t, "full-disk", "server-1",
			func() { s.refused(t, s.up(), "server-1", "/var/lib/rancher", "MiB") })
	})
	s.step("an occupied port is named", func(t *testing.T) {
		hosts.fault(t, "port-taken", "server-1",
			func() { s.refused(t, s.up(), "server-1", "6443", "systemd-socket") })
	})
	s.step("an artifact with a wrong checksum is named", func(t *testing.T) {
		broken := s.otherBundle(t, "k3s/k3s",
			func(string) string { return strings.Repeat("0", 64) })
		s.with("STRATA_ARTIFACTS="+broken,
			func() { s.refused(t, s.up(), filepath.Join(broken, "k3s/k3s"), "sha256") })
	})
	s.step("an unreachable host is named", func(t *testing.T) {
		s.refusedWithin(t, 15*time.Second, func(limit string) result {
			s.configure(withTimeouts(impatient(hosts, server, absent), "host", limit))
			return s.up()
		}, "agent-9", net.address(99))
	})
	s.step("health names gates that no update has reached, and an unreadable configuration",
		func(t *testing.T) {
			r := s.health()
			s.refused(t, r, "missing: ", "hosts-agent-9-gate", "pulumi up -s "+s.name)
			assert.Regexp(t, `\n\d+ of \d+ gates open, \d+ missing\n`, r.output)
			s.refused(t, s.run(strata, "health", "--stack", s.name),
				"gates that the state has open",
				"is unknown", "--config-file")
		})
	s.configure(impatient(hosts, server))
	s.step("the next update succeeds, also with --parallel 4", func(t *testing.T) {
		s.must(s.up("--parallel", "4"))
		assert.Equal(t, []string{"server-1"}, nodeNames(t, s.client()))
		r := s.healthy()
		assert.Regexp(t, `\n(\d+) of (\d+) gates open\n`, r.output)
		assert.NotContains(t, r.output, "missing")
		assert.NotContains(t, r.output, "left over")
	})
	s.step("without gates a pool, an issuer and a certificate are refused",
		func(t *testing.T) { s.losesEachRace(t, hosts) })
	s.step("without gates a Service and a Gateway are admitted, but not served",
		func(t *testing.T) { s.losesSilently(t, hosts) })
	sections := impatient(hosts, server)
	sections["metallb"] = staging(hosts, server)["metallb"]
	sections["certManager"] = map[string]any{"enabled": true}
	sections["ingress"] = map[string]any{"domain": "platform.test"}
	sections["argocd"] = map[string]any{"enabled": false}
	s.step("with gates the same objects work", func(t *testing.T) {
		s.configure(sections)
		s.must(s.up())
		assert.Equal(t, http.StatusUnauthorized, s.get(t, s.urls()["traefik"], "").code,
			"Traefik has its address, and its Gateway")
		s.healthy()
	})
	s.step("a refused join is reported with its cause", func(t *testing.T) {
		sections["hosts"] = hosts.hosts(server, agent)
		s.configure(sections)
		s.namesWhyAJoinIsRefused(t, hosts, server, agent)
	})
	s.step("changes that would destroy the cluster are refused, and nothing changes",
		func(t *testing.T) {
			s.staysAsItIs(t, hosts, sections, server, agent)
		})
	s.step("a removed host of another stack is not changed", func(t *testing.T) {
		s.leavesAnothersHost(t, hosts, sections, server, agent)
	})
	s.step("destroy with a dead host ends, and orphans names the host and the next command",
		func(t *testing.T) {
			hosts.fault(t, "dead", "server-1", func() {
				s.refused(t, s.destroy(), "k3s-server-1-claim")
				r := s.must(s.run(strata, "orphans", "--stack", s.name, "--config-file", s.config))
				assert.Contains(t, r.output, net.address(11))
				assert.Contains(t, r.output, "strata repair -s "+s.name+" --forget server-1")
			})
		})
	s.step("destroy empties the state once the host runs again", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
	})
}

// impatient returns the configuration of a stack without layers above K3s. Its uninstall has a
// short timeout, because dead hosts do not recover by themselves.
func impatient(hosts *hostSet, nodes ...node) map[string]any {
	sections := staging(hosts, nodes...)
	sections["metallb"] = map[string]any{"enabled": false}
	return withTimeouts(sections, "uninstall", "90s")
}

// refused asserts that a command failed, printed all texts, and was never silent for longer than
// commandSilence.
func (s *stack) refused(t *testing.T, r result, says ...string) {
	t.Helper()
	require.Error(t, r.err, "%s", r.output)
	for _, text := range says {
		assert.Contains(t, r.output, text)
	}
	assert.Less(t, r.longestPause(), commandSilence, "a mistake is told soon")
	if t.Failed() {
		t.Log(r.output)
		t.FailNow()
	}
}

// with calls run with one more variable in the environment of the stack.
func (s *stack) with(variable string, run func()) {
	env := s.env
	s.env = append(env[:len(env):len(env)], variable)
	defer func() { s.env = env }()
	run()
}
