package e2e

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// upgraded has the nodes of the story: three members of etcd and an agent.
var upgraded = []node{{"server-1", "server", 11}, {"server-2", "server", 12},
	{"server-3", "server", 13}, {"agent-1", "agent", 21}}

// An older Strata brings a stack up, and this Strata continues with it. `make test-strata-upgrade
// OLD=COMMIT` selects the older one. No command of the old state that uninstalls K3s may run. A
// state of another layout is refused instead (TestStateOfOtherLayoutIsNotChanged).
func TestStackOfOlderStrataIsUpgraded(t *testing.T) {
	if olderStrata() == "" {
		t.Skip("it needs the checkout of an older Strata, which is compiled first: make test-strata-upgrade OLD=COMMIT")
	}
	hosts := existingHosts(t, "e2eu", network{"stk9", "10.49.0"}, upgraded...)
	for _, n := range hosts.serverNodes() {
		hosts.must(n.name, "systemctl disable keepalived") // the package enables it
	}
	clean := hosts.footprints()
	for _, one := range []struct {
		name  string
		story func(*stack, *hostSet)
	}{{"whole", takesOverAtOnce}, {"killed", takesOverThoughKilled}, {"back", goesBack}} {
		passed := t.Run(one.name, func(t *testing.T) {
			s := newStack(t, "e2e-older-"+one.name, olderSections(hosts))
			s.step("the older Strata deploys the stack",
				func(t *testing.T) { s.comesUpWith(t, olderStrata()) })
			one.story(s, hosts)
			s.step("destroy leaves nothing", func(t *testing.T) {
				s.must(s.destroy())
				assert.Empty(t, s.resources())
				for name, before := range clean {
					assert.Equal(t, before, hosts.footprint(name),
						"what %s has after destroy and had not before (-before +after)", name)
				}
			})
		})
		if !passed {
			return // the hosts still belong to that stack
		}
	}
}

// olderStrata returns the checkout of the older Strata; empty if there is none.
func olderStrata() string { return os.Getenv("E2E_OLDER") }

// comesUpWith brings the stack up with the program of another checkout, and runs a Service.
func (s *stack) comesUpWith(t *testing.T, program string) {
	s.program = program
	s.must(s.up())
	s.program = ""
	serve(t, s.client(), "hello")
	answers(t, addressOf(t, s.client(), "hello"))
	eventually(t, func(c require.TestingT) {
		for _, pod := range s.pods(t) {
			for _, one := range pod.Status.ContainerStatuses {
				require.True(c, one.Ready, "%s/%s %s", pod.Namespace, pod.Name, one.Name)
			}
			require.NotEmpty(c, pod.Status.ContainerStatuses, "%s/%s", pod.Namespace, pod.Name)
		}
	})
	assert.ElementsMatch(t, names(upgraded), nodeNames(t, s.client()))
}

// olderSections configures everything that changes a host, including the virtual API address.
func olderSections(hosts *hostSet) map[string]any {
	sections := staging(hosts, upgraded...)
	sections["k3s"] = map[string]any{"vip": hosts.net.address(10)}
	return sections
}

func takesOverAtOnce(s *stack, hosts *hostSet) {
	before := map[string]string{}
	s.step("a preview deletes no resource whose deletion has an effect", func(t *testing.T) {
		before = s.running(t, hosts)
		s.losesNothing(t)
		assert.Equal(t, before, s.running(t, hosts))
	})
	s.step("an update restarts nothing", func(t *testing.T) {
		s.must(s.up())
		assert.Equal(t, before, s.running(t, hosts))
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.isTheNewOnes()
}

// isTheNewOnes checks that the upgraded stack works with this Strata.
func (s *stack) isTheNewOnes() {
	s.step("a second update changes nothing, and health passes", func(*testing.T) {
		s.must(s.up("--expect-no-changes"))
		s.healthy()
	})
}

// takeOverKills has the outputs at which an update is killed: each time at the first command that
// this Strata has changed.
var takeOverKills = []string{" updating", " updating"}

func takesOverThoughKilled(s *stack, hosts *hostSet) {
	before := map[string]string{}
	for i, when := range takeOverKills {
		s.step("an update that is killed at "+when+" restarts nothing", func(t *testing.T) {
			if i == 0 {
				before = s.running(t, hosts)
			}
			s.killedUp(t, when, func() {})
			assert.Equal(t, before, s.running(t, hosts))
		})
	}
	s.step("the next update succeeds, and restarts nothing", func(t *testing.T) {
		s.must(s.up())
		assert.Equal(t, before, s.running(t, hosts))
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.isTheNewOnes()
}

// goesBack runs this Strata, the older one with the same layout, and this one again. No run may
// restart anything.
func goesBack(s *stack, hosts *hostSet) {
	before := s.running(s.t, hosts)
	s.must(s.up())
	for _, program := range []string{olderStrata(), ""} {
		s.program = program
		s.must(s.up())
		assert.Equal(s.t, before, s.running(s.t, hosts))
	}
	s.isTheNewOnes()
}
