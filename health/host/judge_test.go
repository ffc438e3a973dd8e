package host

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
	"strata/internal/ssh/remote"
)

// hostCase describes the differences from a healthy host, and names the checks that the case
// covers.
type hostCase struct {
	Checks []string `json:"checks,omitempty"`
	// Probe replaces keys of the probe's output. Lacks removes them.
	Probe Block    `json:"probe,omitempty"`
	Lacks []string `json:"lacks,omitempty"`
	// SkewSeconds is the host's clock minus this machine's.
	SkewSeconds int `json:"skewSeconds,omitempty"`
	// Unseen is true for a host before its first observation.
	Unseen bool `json:"unseen,omitempty"`
}

func TestHostVerdictsMatchFixtures(t *testing.T) {
	host := health.Host{Target: remote.Target{Name: "server-1", Address: "10.10.0.11"},
		Role: "server"}
	healthtest.RunFixtures(t, "host", func(spec Spec, c hostCase) []health.Verdict {
		probe := healthtest.HealthyHost()
		maps.Copy(probe, c.Probe)
		for _, key := range c.Lacks {
			delete(probe, key)
		}
		facts := Facts{Seen: !c.Unseen, Probe: probe, SkewSeconds: c.SkewSeconds}
		if c.Unseen {
			facts = Facts{}
		}
		var about []health.Verdict
		for _, v := range JudgeHost(host, spec, facts) {
			if len(c.Checks) == 0 || slices.Contains(c.Checks, v.Check) {
				about = append(about, v)
			}
		}
		return about
	})
}

func TestCgroupV1CheckNeedsValidK3sVersion(t *testing.T) {
	judge := func(k3s string) health.Verdict {
		return judgeCgroups(health.Host{}, Spec{K3s: k3s},
			Facts{Seen: true, Probe: Block{"cgroup": {"v1"}}})
	}
	assert.Equal(t, health.Skipped, judge("").State, "a preflight without artifacts")
	assert.Equal(t, health.Stuck, judge("newest").State, "whether it runs there is not known")
	assert.Contains(t, judge("newest").Message, "newest")
}

func TestFailedSSHLoginHidesOtherChecksOfHost(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want health.State
	}{
		{"a booting host is waited for", errors.New("connection refused: sshd is not listening"),
			health.Waiting},
		{"another host key is stuck", &remote.HostKeyError{Want: "a", Got: "b"}, health.Stuck},
		{"a host key without a pin is stuck", &remote.UnpinnedError{Key: "b"}, health.Stuck},
		{"a rejected key is stuck", remote.ErrKeyRejected, health.Stuck},
		{"a login that sshd never accepts is stuck", remote.ErrLogin, health.Stuck},
		{"a login that runs nothing is stuck", remote.ErrNotRun, health.Stuck},
		{"sudo with a password is stuck", remote.ErrSudo, health.Stuck},
		{"a rejected sudo password is stuck", remote.ErrSudoPassword, health.Stuck},
		{"an unusable ssh-agent is stuck", remote.ErrAgent, health.Stuck},
		{"a jump host that forwards nothing is stuck", remote.ErrForwarding, health.Stuck},
		{"a missing ProxyCommand program is stuck",
			&remote.ProxyError{Program: "cloudflared", Missing: true}, health.Stuck},
		{"a ProxyCommand that ended is waited for",
			&remote.ProxyError{Program: "cloudflared"}, health.Waiting},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdicts := JudgeHost(health.Host{Target: remote.Target{Name: "a"}},
				Spec{Modules: []string{"overlay"}, Ports: []int{6443}}, Facts{Fault: test.err})
			assert.Equal(t, test.want, health.StateOf(verdicts))
			failing, hidden := health.Split(verdicts)
			require.Len(t, failing, 1)
			assert.Equal(t, "ssh", failing[0].Check)
			assert.Contains(t, failing[0].Hint, "hosts.", "the error itself names no key of a stack file")
			assert.Equal(t, len(verdicts)-1, hidden)
		})
	}
}

func TestHostGateNeedsOneHostAndNoAPIServer(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, OneHost: true, NoServers: true}, Spec{}.Traits())
}
