package health

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote/sshtest"
)

// listen holds a loopback port and returns its number.
func listen(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

// probing writes blocks and then waits until the caller goes away, as a probe does.
func probing(looks ...map[string][]string) sshtest.Handler {
	return func(call sshtest.Call) int {
		for _, look := range looks {
			writeBlock(call.Stdout, look)
		}
		<-call.Gone
		return 0
	}
}

func writeBlock(to io.Writer, look map[string][]string) {
	var text strings.Builder
	for key, values := range look {
		for _, value := range values {
			fmt.Fprintf(&text, "%s=%s\n", key, value)
		}
	}
	_, _ = io.WriteString(to, text.String()+"end\n")
}

// now is a healthy host's look with its clock right.
func now(changes map[string][]string) map[string][]string {
	look := healthyHost()
	look["time"] = []string{fmt.Sprint(time.Now().Unix())}
	for key, values := range changes {
		look[key] = values
	}
	return look
}

func askHost(t *testing.T, server *sshtest.Server, timeout time.Duration) (Result, string) {
	t.Helper()
	spec := Spec{
		Kind: KindHost, Gate: "hosts-a-gate", Layer: "hosts", Timeout: metav1.Duration{Duration: timeout}, TimeoutKey: "strata:timeouts.host",
		Hosts: []Host{{Target: server.Target(), Role: "server"}},
		Host:  &HostSpec{Modules: []string{"overlay"}, Ports: []int{6443}, MinDiskMiB: 1, MinMemoryMiB: 1, MaxClockSkew: metav1.Duration{Duration: time.Minute}},
	}
	var progress bytes.Buffer
	result, err := Ask(t.Context(), spec, Secrets{SSHKey: server.PrivateKey()}, newHost, &progress)
	require.NoError(t, err)
	return result, progress.String()
}

func TestAHostGateOpensInOneSessionWhenCloudInitEnds(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = probing(now(block{"cloudinit": {"running"}}), now(nil))
	result, progress := askHost(t, server, 20*time.Second)
	assert.Equal(t, EndedOpen, result.Ending, progress)
	assert.Equal(t, 1, server.Connections())
	assert.Len(t, server.Commands(), 1)
}

func TestAHostGateEndsAtOnceWhenCloudInitFailed(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = probing(now(block{"cloudinit_code": {"1"}, "cloudinit_log": {"ERROR: no such package"}}))
	result, progress := askHost(t, server, time.Minute)
	assert.Equal(t, EndedStuck, result.Ending)
	assert.Contains(t, progress, "no such package")
	assert.Contains(t, progress, "cloud-init status --long")
}

func TestAHostGateOutlivesARebootAndForgetsWhatItSawBefore(t *testing.T) {
	server := sshtest.Start(t)
	var sessions atomic.Int32
	server.Handler = func(call sshtest.Call) int {
		if sessions.Add(1) == 1 {
			writeBlock(call.Stdout, now(block{"cloudinit": {"running"}}))
			server.Cut()
			return 0
		}
		return probing(now(nil))(call)
	}
	result, progress := askHost(t, server, 20*time.Second)
	assert.Equal(t, EndedOpen, result.Ending, progress)
	assert.Equal(t, 2, server.Connections())
}

func TestAProbeThatDiesIsNotReady(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		_, _ = io.WriteString(call.Stderr, "sh: cannot fork\n")
		return 2
	}
	result, progress := askHost(t, server, 700*time.Millisecond)
	assert.Equal(t, EndedTimeout, result.Ending)
	assert.Contains(t, progress, "cannot fork")
	assert.Contains(t, progress, "strata:timeouts.host is 700ms")
}

func TestNoSecretIsInWhatAGateSays(t *testing.T) {
	server := sshtest.Start(t)
	other, _ := sshtest.NewKey(t)
	spec := Spec{
		Kind: KindHost, Gate: "g", Timeout: metav1.Duration{Duration: 10 * time.Second},
		Hosts: []Host{{Target: server.Target(), Role: "server"}}, Host: &HostSpec{},
	}
	var progress bytes.Buffer
	result, err := Ask(t.Context(), spec, Secrets{SSHKey: other}, newHost, &progress)
	require.NoError(t, err)
	assert.Equal(t, EndedStuck, result.Ending)
	assert.Contains(t, progress.String(), "private key not accepted")
	assert.NotContains(t, progress.String(), strings.Split(string(other), "\n")[1])
}

// runningUnit is a look at a unit that works.
func runningUnit() map[string][]string {
	return map[string][]string{"LoadState": {"loaded"}, "ActiveState": {"active"}, "SubState": {"running"}, "NRestarts": {"0"}, "Job": {""}}
}

func askServer(t *testing.T, server *sshtest.Server, url string) Result {
	t.Helper()
	spec := Spec{
		Kind: KindServer, Gate: "g", Layer: "k3s", Timeout: metav1.Duration{Duration: 2 * time.Second}, TimeoutKey: "k",
		Hosts: []Host{{Target: server.Target(), Role: "server"}}, Servers: []string{url},
	}
	result, err := Ask(t.Context(), spec, Secrets{SSHKey: server.PrivateKey()}, newServer, io.Discard)
	require.NoError(t, err)
	return result
}

func TestAServerGateWantsUnitAndPong(t *testing.T) {
	for _, test := range []struct {
		name string
		unit map[string][]string
		path string
		want Ending
	}{
		{"opens on both", runningUnit(), "pong", EndedOpen},
		{"does not open on another answer", runningUnit(), "ok", EndedTimeout},
		{"does not open without the unit", map[string][]string{"LoadState": {"loaded"}, "ActiveState": {"activating"}, "SubState": {"start"}}, "pong", EndedTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Empty(t, r.Header.Get("Authorization"))
				_, _ = io.WriteString(w, test.path)
			}))
			t.Cleanup(api.Close)
			server := sshtest.Start(t)
			server.Handler = probing(test.unit)
			assert.Equal(t, test.want, askServer(t, server, api.URL).Ending)
		})
	}
}

func TestFromHostsShowsCommandCodeAndOutputOfEachHost(t *testing.T) {
	good, bad := sshtest.Start(t), sshtest.Start(t)
	good.Handler = probing(block{"code": {"0"}, "output": {"ok"}})
	bad.Handler = probing(block{"code": {"1"}, "output": {"connect: Connection refused"}})
	first, second := Host{Target: good.Target()}, Host{Target: bad.Target()}
	first.Name, second.Name = "a", "b"
	// One key opens both hosts only as a list of keys.
	key := append(good.PrivateKey(), bad.PrivateKey()...)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var last []hostRun
	fromHosts(ctx, []Host{first, second}, key, connection{"10.43.0.1", []int{80, 443}}, func(runs []hostRun) {
		if last = runs; runs[0].Seen && runs[1].Seen {
			cancel()
		}
	})
	require.Len(t, last, 2)
	assert.True(t, last[0].passed())
	assert.False(t, last[1].passed())
	assert.Equal(t, "b# for port in 80 443; do timeout 3 bash -c \": </dev/tcp/10.43.0.1/$port\" || exit; done\nexit code 1\nconnect: Connection refused", last[1].evidence())
}
