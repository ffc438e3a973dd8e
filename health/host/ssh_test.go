package host

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

func askHost(t *testing.T, server *sshtest.Server, timeout time.Duration) (health.Result, string) {
	t.Helper()
	spec := health.Spec{
		Gate: "hosts-a-gate", Layer: "hosts", Timeout: metav1.Duration{Duration: timeout},
		TimeoutKey: "strata:timeouts.host",
		Hosts:      []health.Host{{Target: server.Target(), Role: "server"}},
		Body: Spec{Modules: []string{"overlay"}, Ports: []int{6443}, MinDiskMiB: 1,
			MinMemoryMiB: 1, MaxClockSkew: metav1.Duration{Duration: time.Minute}},
	}
	var progress bytes.Buffer
	result, err := health.Ask(t.Context(), spec, health.Secrets{SSHKey: server.PrivateKey()},
		&progress)
	require.NoError(t, err)
	return result, progress.String()
}

func TestHostGateOpensInOneSessionWhenCloudInitEnds(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = healthtest.Probing(healthtest.HealthyNow(Block{"cloudinit": {"running"}}),
		healthtest.HealthyNow(nil))
	result, progress := askHost(t, server, 20*time.Second)
	assert.Equal(t, health.EndedOpen, result.Ending, progress)
	assert.Equal(t, 1, server.Connections())
	assert.Len(t, server.Commands(), 1)
}

func TestHostGateFailsAtOnceWhenCloudInitFailed(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = healthtest.Probing(
		healthtest.HealthyNow(Block{"cloudinit_code": {"1"},
			"cloudinit_log": {"ERROR: no such package"}}))
	result, progress := askHost(t, server, time.Minute)
	assert.Equal(t, health.EndedStuck, result.Ending)
	assert.Contains(t, progress, "no such package")
	assert.Contains(t, progress, "cloud-init status --long")
}

func TestHostGateOpensWithNewObservationAfterReboot(t *testing.T) {
	server := sshtest.Start(t)
	var sessions atomic.Int32
	server.Handler = func(call sshtest.Call) int {
		if sessions.Add(1) == 1 {
			healthtest.WriteBlock(call.Stdout,
				healthtest.HealthyNow(Block{"cloudinit": {"running"}}))
			server.Cut()
			return 0
		}
		return healthtest.Probing(healthtest.HealthyNow(nil))(call)
	}
	result, progress := askHost(t, server, 20*time.Second)
	assert.Equal(t, health.EndedOpen, result.Ending, progress)
	assert.Equal(t, 2, server.Connections())
}

// While a host boots, sshd may run before cloud-init has made the users.
func TestGateWaitsForUserOfBootingHost(t *testing.T) {
	server := sshtest.New(t)
	server.Dropped, server.Refused = 1, 2
	server.Handler = healthtest.Probing(healthtest.HealthyNow(nil))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server.Serve(t, listener)
	result, progress := askHost(t, server, 20*time.Second)
	assert.Equal(t, health.EndedOpen, result.Ending, progress)
	assert.Contains(t, progress, "private key not accepted", "and says meanwhile what it met")
}

func TestHostGateTimesOutWhenProbeExits(t *testing.T) {
	t.Parallel() // the gate waits for its timeout, long enough for one login on a busy machine
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		_, _ = io.WriteString(call.Stderr, "sh: cannot fork\n")
		return 2
	}
	result, progress := askHost(t, server, 10*time.Second)
	assert.Equal(t, health.EndedTimeout, result.Ending)
	assert.Contains(t, progress, "cannot fork")
	assert.Contains(t, progress, "strata:timeouts.host is 10s")
}

func TestGateOutputContainsNoSecret(t *testing.T) {
	server := sshtest.Start(t)
	other, _ := sshtest.NewKey(t)
	spec := health.Spec{
		Gate: "g", Timeout: metav1.Duration{Duration: 10 * time.Second},
		Hosts: []health.Host{{Target: server.Target(), Role: "server"}}, Body: Spec{},
	}
	var progress bytes.Buffer
	result, err := health.Ask(t.Context(), spec, health.Secrets{SSHKey: other}, &progress)
	require.NoError(t, err)
	assert.Equal(t, health.EndedStuck, result.Ending)
	assert.Contains(t, progress.String(), "private key not accepted")
	assert.NotContains(t, progress.String(), strings.Split(string(other), "\n")[1])
}

// Each attempt with a wrong password counts towards a lock-out of the user.
func TestGateTriesWrongSudoPasswordOnce(t *testing.T) {
	server, dir := sshtest.Start(t), t.TempDir()
	server.User, server.Sudo = "ops", "echo tried >> "+dir+
		"/tries\necho 'Sorry, try again.' >&2\nexit 1"
	spec := health.Spec{
		Gate: "hosts-a-gate", Layer: "hosts", Timeout: metav1.Duration{Duration: 20 * time.Second},
		Hosts: []health.Host{{Target: server.Target(), Role: "server"}}, Body: Spec{},
	}
	var progress bytes.Buffer
	result, err := health.Ask(t.Context(), spec,
		health.Secrets{SSHKey: append(server.PrivateKey(), remote.SudoPassword("hunter2", "")...)},
		&progress)
	require.NoError(t, err)
	assert.Equal(t, health.EndedStuck, result.Ending)
	assert.Contains(t, progress.String(), "sudo did not take the password of user ops")
	assert.Contains(t, progress.String(), "pulumi config set --secret --path strata:hosts.ssh.sudoPassword")
	assert.NotContains(t, progress.String(), "hunter2")
	tries, err := os.ReadFile(filepath.Join(dir, "tries"))
	require.NoError(t, err)
	assert.Equal(t, "tried\n", string(tries))
}

// cloud-init sets this forced command for root if it has created another user.
func TestGateFailsAtOnceAndQuotesForcedCommandOutput(t *testing.T) {
	server := sshtest.Start(t)
	server.Shell = []string{"sh", "-c", "echo 'Please login as the user debian rather than the user root.'; exit 142"}
	result, progress := askHost(t, server, time.Minute)
	assert.Equal(t, health.EndedStuck, result.Ending, progress)
	assert.Contains(t, progress, "Please login as the user debian rather than the user root.")
	assert.Contains(t, progress, "strata:hosts.ssh.user")
	assert.NotContains(t, progress, "is on")
}

// A login profile's output is not the probe's output. A connection that ends before the script
// starts is retried.
func TestHostGateSurvivesShutdownBeforeProbe(t *testing.T) {
	server, dir := sshtest.Start(t), t.TempDir()
	server.Shell = []string{"sh", "-c", `echo os=Welcome; mkdir ` + dir +
		`/seen && kill -KILL $$; exec sh -c "$1"`}
	server.Handler = healthtest.Probing(healthtest.HealthyNow(nil))
	result, progress := askHost(t, server, 20*time.Second)
	assert.Equal(t, health.EndedOpen, result.Ending, progress)
	assert.Equal(t, 2, server.Connections())
	assert.Contains(t, progress, "ended by signal KILL")
}

// If the SSH agent has the keys, STRATA_SSH_KEY may be empty.
func TestHostWithSSHAgentNeedsNoKey(t *testing.T) {
	host := health.Host{Target: remote.Target{Name: "a", Agent: true}, Role: "agent"}
	_, err := Spec{}.NewWatch(health.Spec{Hosts: []health.Host{host}}, health.Secrets{})
	require.NoError(t, err)
	host.Agent = false
	_, err = Spec{}.NewWatch(health.Spec{Hosts: []health.Host{host}}, health.Secrets{})
	require.ErrorContains(t, err, "STRATA_SSH_KEY")
}

func TestFromHostsReportsCommandExitCodeAndOutputPerHost(t *testing.T) {
	good, bad := sshtest.Start(t), sshtest.Start(t)
	good.Handler = healthtest.Probing(Block{"code": {"0"}, "output": {"ok"}})
	bad.Handler = healthtest.Probing(Block{"code": {"1"},
		"output": {"connect: Connection refused"}})
	first, second := health.Host{Target: good.Target()}, health.Host{Target: bad.Target()}
	first.Name, second.Name = "a", "b"
	// Each host accepts a different key, so the list of both keys is needed.
	key := append(good.PrivateKey(), bad.PrivateKey()...)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var last []Run
	fromHosts(ctx, []health.Host{first, second}, key, Connection{"10.43.0.1", []int{80, 443}},
		func(runs []Run) {
			if last = runs; runs[0].Seen && runs[1].Seen {
				cancel()
			}
		})
	require.Len(t, last, 2)
	assert.True(t, last[0].HasPassed())
	assert.False(t, last[1].HasPassed())
	assert.Equal(t, "b# for port in 80 443; do timeout 3 bash -c \": </dev/tcp/10.43.0.1/$port\" "+
		"|| exit; done\nexit code 1\nconnect: Connection refused", last[1].Evidence())
}
