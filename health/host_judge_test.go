package health

import (
	"errors"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/remote"
)

// healthyHost is what the probe prints on a host that is fit; a case says how its host differs.
func healthyHost() map[string][]string {
	return map[string][]string{
		"os": {"Debian GNU/Linux 12 (bookworm)"}, "arch": {"x86_64"}, "kernel": {"6.1.0-18-amd64"}, "uid": {"0"}, "systemd": {"yes"},
		"hostname": {"server-1"}, "machine_id": {"5fbd574cdc6f9eaf2584dfc3b3f6b14e"}, "memory_mib": {"3900"}, "memory_cgroup": {"yes"}, "cgroup": {"v2"},
		"ntp": {"yes"}, "cloudinit": {"finished"}, "cloudinit_code": {"0"}, "manager": {"systemd-networkd.service active enabled"},
		"route": {"eth0"}, "disk_mib": {"30000"}, "disk_at": {"/"},
		"module": {"br_netfilter loadable", "overlay loaded", "ip_vs missing"}, "port": {"6443 free", "10250 free"}, "program": {"keepalived"}, "whose": {"free"},
	}
}

// hostCase is how a host differs from a healthy one, and the checks that the case is about.
type hostCase struct {
	Checks []string `json:"checks,omitempty"`
	// Probe replaces keys, Lacks removes them.
	Probe block    `json:"probe,omitempty"`
	Lacks []string `json:"lacks,omitempty"`
	// SkewSeconds is the host's clock minus this machine's.
	SkewSeconds int `json:"skewSeconds,omitempty"`
	// Unseen is true before the first look.
	Unseen bool `json:"unseen,omitempty"`
}

func TestHostVerdicts(t *testing.T) {
	host := Host{Target: remote.Target{Name: "server-1", Address: "10.10.0.11"}, Role: "server"}
	runFixtures(t, "host", func(spec HostSpec, c hostCase) []Verdict {
		probe := healthyHost()
		maps.Copy(probe, c.Probe)
		for _, key := range c.Lacks {
			delete(probe, key)
		}
		facts := hostFacts{Seen: !c.Unseen, Probe: probe, SkewSeconds: c.SkewSeconds}
		if c.Unseen {
			facts = hostFacts{}
		}
		var about []Verdict
		for _, v := range judgeHost(host, spec, facts) {
			if len(c.Checks) == 0 || slices.Contains(c.Checks, v.Check) {
				about = append(about, v)
			}
		}
		return about
	})
}

func TestAHostThatCannotBeReachedHidesEverythingBehindSSH(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want State
	}{
		{"a booting host is waited for", errors.New("connection refused: sshd is not listening"), Waiting},
		{"another host key is stuck", &remote.HostKeyError{Want: "a", Got: "b"}, Stuck},
		{"a rejected key is stuck", remote.ErrKeyRejected, Stuck},
		{"sudo with a password is stuck", remote.ErrSudo, Stuck},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdicts := judgeHost(Host{Target: remote.Target{Name: "a"}}, HostSpec{Modules: []string{"overlay"}, Ports: []int{6443}}, hostFacts{Fault: test.err})
			assert.Equal(t, test.want, sum(verdicts))
			failing, hidden := split(verdicts)
			require.Len(t, failing, 1)
			assert.Equal(t, "ssh", failing[0].Check)
			assert.NotEmpty(t, failing[0].Hint)
			assert.Equal(t, len(verdicts)-1, hidden)
		})
	}
}

// The provider connects to the agent before it looks at its key, so a gate that does not is open in front of installs that all fail.
func TestAnAgentThatIsGoneIsSaidBeforeTheFirstInstall(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "agent")
	assert.Empty(t, agentTrouble(""), "without one, nobody asks it")
	trouble := agentTrouble(socket)
	assert.Contains(t, trouble, "no such file")
	verdicts := judgeHost(Host{}, HostSpec{}, hostFacts{Seen: true, Agent: trouble})
	last := verdicts[len(verdicts)-1]
	assert.Equal(t, Stuck, last.State)
	assert.Contains(t, last.Hint, "unset SSH_AUTH_SOCK")

	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	assert.Empty(t, agentTrouble(socket))
	require.NoError(t, listener.Close())
	for _, v := range judgeHost(Host{}, HostSpec{}, hostFacts{Seen: true}) {
		assert.NotEqual(t, "ssh agent", v.Check)
	}
}
