package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The nodes of an upgrade of Strata: those of etcd, and one that is not.
var upgraded = []node{{"server-1", "server", 11}, {"server-2", "server", 12}, {"server-3", "server", 13}, {"agent-1", "agent", 21}}

// An older Strata brings a stack up, and this one takes it over: `make test-strata-upgrade
// OLD=COMMIT` names the older one. The old state may have commands whose delete uninstalls K3s
// (docs/adr/0045): none of them may run.
func TestAnOlderStratasStackIsTakenOver(t *testing.T) {
	if olderStrata() == "" {
		t.Skip("it needs the checkout of an older Strata, which is compiled first: make test-strata-upgrade OLD=COMMIT")
	}
	hosts := existingHosts(t, "e2eu", network{"stk9", "10.49.0"}, upgraded...)
	for _, n := range hosts.serverNodes() {
		hosts.must(n.name, "systemctl disable keepalived") // Debian enables it, and what takes the address away does not again
	}
	clean := hosts.footprints()
	for _, one := range []struct {
		name  string
		story func(*stack, *hostSet)
	}{{"whole", takesOverAtOnce}, {"killed", takesOverThoughKilled}, {"failed", isDestroyedAfterAFailure}, {"back", refusesToGoBack}} {
		passed := t.Run(one.name, func(t *testing.T) {
			s := newStack(t, "e2e-older-"+one.name, olderSections(hosts))
			s.step("the older Strata brings it up", func(t *testing.T) { s.comesUpWith(t, olderStrata()) })
			one.story(s, hosts)
			s.step("destroy leaves nothing", func(t *testing.T) {
				r := s.must(s.destroy())
				t.Logf("said that an uninstall waits for another: %d times", strings.Count(r.output, "waiting for another uninstall"))
				assert.Empty(t, s.resources())
				for name, before := range clean {
					assert.Equal(t, before, hosts.footprint(name), "what %s has after destroy and had not before (-before +after)", name)
				}
			})
		})
		if !passed {
			return // the hosts are still that stack's
		}
	}
}

// olderStrata returns the checkout of the older Strata; empty: none.
func olderStrata() string { return os.Getenv("E2E_OLDER") }

// comesUpWith brings the stack up with the program of another checkout, and has it serve.
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

// olderSections configure the steps that the provider's SSH once took on hosts, the API's own
// address included.
func olderSections(hosts *hostSet) map[string]any {
	sections := staging(hosts, upgraded...)
	sections["k3s"] = map[string]any{"vip": hosts.net.address(10)}
	return sections
}

func takesOverAtOnce(s *stack, hosts *hostSet) {
	before := map[string]string{}
	s.step("a preview deletes nothing whose delete does something", func(t *testing.T) {
		before = s.running(t, hosts)
		s.losesNothing(t)
		assert.Equal(t, before, s.running(t, hosts))
	})
	s.step("an up restarts nothing", func(t *testing.T) {
		s.must(s.up())
		assert.Equal(t, before, s.running(t, hosts))
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.isTheNewOnes()
}

// isTheNewOnes checks the upgraded stack like any other one.
func (s *stack) isTheNewOnes() {
	s.step("a second up changes nothing, and health passes", func(*testing.T) {
		s.must(s.up("--expect-no-changes"))
		s.healthy()
	})
}

// takeOverKills are the moments at which an update is killed. Each comes after those before it:
// without a successor, with both, while hosts are asked, and when only the old commands are left to
// forget.
var takeOverKills = []string{
	"k3s-server-1-claim creating", "k3s-server-1-uninstall updating", "k3s-server-2-install creating", "k3s-server-3-keepalived creating",
	"-install deleting",
}

func takesOverThoughKilled(s *stack, hosts *hostSet) {
	before := map[string]string{}
	for i, when := range takeOverKills {
		s.step("an up that is killed at "+when+" restarts nothing", func(t *testing.T) {
			if i == 0 {
				before = s.running(t, hosts)
			}
			s.killedUp(t, when, func() {})
			assert.Equal(t, before, s.running(t, hosts))
		})
	}
	s.step("the next up finishes, and restarts nothing", func(t *testing.T) {
		s.must(s.up())
		assert.Equal(t, before, s.running(t, hosts))
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.isTheNewOnes()
}

// isDestroyedAfterAFailure has one host refuse its adoption: it has another owner's mark instead of
// its own. The state has both forms then.
func isDestroyedAfterAFailure(s *stack, hosts *hostSet) {
	const mark, aside = "/var/lib/strata/owner", "/root/owner"
	s.step("an up that one host refuses fails, and restarts nothing", func(t *testing.T) {
		before := s.running(t, hosts)
		hosts.must("agent-1", "cp -p "+mark+" "+aside+" && sed -i s/^cluster=.*/cluster=of-another/ "+mark+" && ! cmp -s "+mark+" "+aside)
		s.refused(t, s.up(), "k3s-agent-1-claim", "strata owner -s "+s.name+" agent-1 --clear")
		hosts.must("agent-1", "mv "+aside+" "+mark)
		assert.Equal(t, before, s.running(t, hosts))
		assert.NotContains(t, s.resources(), "k3s-agent-1-claim")
		assert.Contains(t, s.resources(), "k3s-agent-1-uninstall")
		assert.True(t, slices.ContainsFunc(s.resources(), func(name string) bool { return strings.HasSuffix(name, "-claim") }), "no host was taken over before it failed")
	})
}

// refusesToGoBack has the older Strata run once more. A version that does not know the resources
// which change the hosts now cannot delete them either.
func refusesToGoBack(s *stack, hosts *hostSet) {
	known := slices.Contains(s.resources(), "k3s-server-1-claim")
	before := s.running(s.t, hosts)
	s.must(s.up())
	s.step("the older Strata fails, and restarts nothing", func(t *testing.T) {
		if known {
			t.Skip("it knows strata host-run, and may go on")
		}
		s.program = olderStrata()
		s.refused(t, s.up(), `unknown command "host-run"`)
		s.program = ""
		assert.Equal(t, before, s.running(t, hosts))
	})
	s.step("this one finishes, and restarts nothing", func(t *testing.T) {
		s.must(s.up())
		assert.Equal(t, before, s.running(t, hosts))
	})
	s.isTheNewOnes()
}
