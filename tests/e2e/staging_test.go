package e2e

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A staging platform runs on existing hosts: three servers with embedded etcd, and two agents. Its
// Pod network has no tunnel (host-gw); the other stories use K3s's default, vxlan.
func TestStagingOnExistingHosts(t *testing.T) {
	t.Parallel()
	net := network{"ste0", "10.11.0"}
	servers := []node{{"server-1", "server", 11}, {"server-2", "server", 12},
		{"server-3", "server", 13}}
	agents := []node{{"agent-1", "agent", 21}, {"agent-2", "agent", 22}}
	all := append(append([]node{}, servers...), agents...)
	hosts := existingHosts(t, "e2es", net, all...)
	clean := hosts.footprints()

	sections := staging(hosts, all...)
	s := newStack(t, "e2e-staging", sections)
	s.serverArgs = map[string]any{"flannel-backend": "host-gw"}
	s.configure(sections)
	s.step("the next update completes a killed one",
		func(t *testing.T) { s.killedUpConverges(t, "k3s-server-1-install creating") })
	s.step("the cluster has exactly the configured nodes", func(t *testing.T) {
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
	})
	s.step("a LoadBalancer Service answers from outside", func(t *testing.T) {
		serve(t, s.client(), "hello")
		address := addressOf(t, s.client(), "hello")
		assert.Contains(t, address, net.prefix+".2", "an address of the pool %s", net.pool())
		answers(t, address)
	})
	s.step("a lost way to Pods is named, and heals by itself", func(t *testing.T) {
		// Only a host with a Pod has an address that can answer.
		on, asking := s.peers(t, "default", "app=hello")[0].node, "server-1"
		if on == asking {
			asking = "server-2"
		}
		s.breaks(t, hosts, 0, []fault{hostGatewayFault(on, asking)})
	})
	s.step("a second up changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("preview from another checkout changes nothing", s.previewsTheSameElsewhere)
	s.step("health passes", func(*testing.T) { s.healthy() })
	s.step("a node's labels and taints change without a restart",
		func(t *testing.T) { s.changesLabels(t, hosts, sections, "agent-1") })
	s.step("no secret is readable in the state or on hosts",
		func(t *testing.T) { s.leaksNothing(t, hosts) })
	s.step("agent-2 with a volume is removed only with consent, and added again",
		func(t *testing.T) { s.keepsAVolume(t, hosts, all, "agent-2") })
	s.step("destroy names lost Services, and cleans the hosts", func(t *testing.T) {
		r := s.must(s.destroy())
		assert.Contains(t, r.output, "teardown: will be lost: 1 LoadBalancer Services that are "+
			"not Strata's: default/hello (")
		for name, before := range clean {
			assert.Equal(t, before, hosts.footprint(name),
				"what %s has after destroy and had not before (-before +after)", name)
		}
	})
}

// The servers of a staging platform change while it serves: servers are removed and added again,
// and all get new tokens.
func TestServersOfStagingChange(t *testing.T) {
	t.Parallel()
	net := network{"stsv0", "10.46.0"}
	all := []node{{"server-1", "server", 11}, {"server-2", "server", 12},
		{"server-3", "server", 13}, {"agent-1", "agent", 21}}
	hosts := existingHosts(t, "e2esv", net, all...)
	sections := withTimeouts(staging(hosts, all...), "uninstall", "90s") // two hosts are powered off later
	s := newStack(t, "e2e-servers", sections)
	s.step("the first update succeeds", func(t *testing.T) {
		s.must(s.up())
		serve(t, s.client(), "hello")
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.step("new addresses for all three servers are refused",
		func(t *testing.T) { s.refusesToMove(t, hosts, all) })
	// Two servers are removed at once. One of them founded the cluster.
	s.step("server-1 is removed and added again while the others serve",
		func(t *testing.T) { s.leavesAndReturns(t, hosts, all, "server-1") })
	s.step("a killed update of the tokens is completed", func(t *testing.T) {
		s.changesTokens(t, hosts, sections, "k3s-server-2-install creating")
	})
	s.step("after a lost quorum, one server's data is restored and dead servers are removed",
		func(t *testing.T) { s.losesItsQuorum(t, hosts, sections, all) })
	s.step("destroy empties the state, and does not change another Kubernetes on a host",
		func(t *testing.T) {
			hosts.must("agent-1", runsAnotherKubernetes)
			another := hosts.must("agent-1", looksAtAnotherKubernetes)
			s.must(s.destroy())
			assert.Empty(t, s.resources())
			assert.Equal(t, another, hosts.must("agent-1", looksAtAnotherKubernetes))
		})
}

// staging returns the configuration of a stack on existing hosts with the layers up to MetalLB; the
// layers above are tested in platform_test.go.
func staging(hosts *hostSet, nodes ...node) map[string]any {
	return map[string]any{
		"hosts":       hosts.hosts(nodes...),
		"metallb":     map[string]any{"addresses": []any{hosts.net.pool()}},
		"certManager": map[string]any{"enabled": false},
	}
}

func names(nodes []node) []string {
	list := []string{}
	for _, n := range nodes {
		list = append(list, n.name)
	}
	return list
}

// killedUpConverges kills an update once it has printed a text, cleans up like `make up`, and runs
// it again.
func (s *stack) killedUpConverges(t *testing.T, when string) {
	s.killedUp(t, when, func() {})
	s.must(s.up())
}

// killedUp kills an update once it has printed a text and until has returned. Then it cleans up
// like `make up`.
func (s *stack) killedUp(t *testing.T, when string, until func()) {
	s.killedWhen(t, when, until)
	s.must(s.run(strata, "repair", "--stack", s.name))
}

// killedWhen kills an update once it has printed a text and until has returned.
func (s *stack) killedWhen(t *testing.T, when string, until func()) {
	s.killed(t, when, until, "pulumi", "up", "--stack", s.name, "--config-file", s.config, "--yes",
		"--skip-preview", "--non-interactive", "--parallel", "32")
}

// killed kills a command once it has printed a text and until has returned.
func (s *stack) killed(t *testing.T, when string, until func(), name string, args ...string) {
	cmd := s.command(root, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output := newSignal(when)
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, cmd.Start())
	for said := -1; !output.isSeen(silence); said = len(output.text()) {
		if said == len(output.text()) {
			t.Errorf("no %q, and nothing else for %s:\n%s", when, silence, output.text())
			break
		}
	}
	until()
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait(), "it was killed")
}
