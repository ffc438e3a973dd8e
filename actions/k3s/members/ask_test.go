package members

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

// runsOn runs a script with root as the host's root folder. A fake systemctl reports state for K3s.
func runsOn(t *testing.T, root, state, script string) (string, error) {
	t.Helper()
	systemctl := "#!/bin/sh\n[ \"$2\" = --quiet ] || echo " + state + "\n[ " + state + " = active ]\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "systemctl"), []byte(systemctl), 0o755))
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(script, "/etc/", root+"/etc/"))
	command.Env = append(os.Environ(), "PATH="+root+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	return string(out), err
}

func put(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}

// A server that is to become an agent still serves. Its Pods and its etcd member are not those of
// an old host.
func TestHostWithEitherK3sUnitIsMember(t *testing.T) {
	for _, unit := range []string{"k3s", "k3s-agent"} {
		root := t.TempDir()
		put(t, root+"/etc/systemd/system/"+unit+".service", "")
		out, err := runsOn(t, root, "active", freshScript)
		require.NoError(t, err, out)
		assert.Equal(t, "member\n", out, unit)
	}
	out, err := runsOn(t, t.TempDir(), "inactive", freshScript)
	require.NoError(t, err, out)
	assert.Empty(t, out)
}

func TestKubeconfigReadFailsIfK3sIsStopped(t *testing.T) {
	root := t.TempDir()
	out, err := runsOn(t, root, "inactive", kubeconfigScript)
	require.NoError(t, err)
	assert.Empty(t, out)
	put(t, root+"/etc/systemd/system/k3s.service", "")
	put(t, root+"/etc/rancher/k3s/k3s.yaml", "clusters: []\n")
	out, err = runsOn(t, root, "activating", kubeconfigScript)
	require.Error(t, err)
	assert.Equal(t, "its K3s is activating\n", out)
	out, err = runsOn(t, root, "active", kubeconfigScript)
	require.NoError(t, err)
	assert.Equal(t, "clusters: []\n", out)
}

// roundLimit is enough for a round on a busy machine; a refused connection takes all of it.
const roundLimit = 5 * time.Second

func TestAdmissionStartsClusterOnlyIfNoneExists(t *testing.T) {
	answering := func(stdout, stderr string, code int) *sshtest.Server {
		s := sshtest.Start(t)
		s.Handler = func(call sshtest.Call) int {
			_, err := io.WriteString(call.Stdout, stdout)
			assert.NoError(t, err)
			_, err = io.WriteString(call.Stderr, stderr)
			assert.NoError(t, err)
			return code
		}
		return s
	}
	runs, without := answering("kubeconfig", "", 0), answering("", "", 0)
	down, booting := answering("", "its K3s is activating", 1), sshtest.New(t)
	for _, test := range []struct {
		name         string
		servers      []*sshtest.Server
		none         bool
		want, refuse string
	}{
		{"the first server of a new cluster", []*sshtest.Server{without, without}, true, "", ""},
		{"the first server, while the others boot", []*sshtest.Server{without, booting}, true, "", ""},
		{"the first server alone", nil, true, "", ""},
		{"one running server is enough", []*sshtest.Server{booting, down, runs}, false, "kubeconfig", ""},
		{"a cluster whose K3s is stopped", []*sshtest.Server{without, down}, true, "",
			"server b: its K3s is activating; bring one back; if they lost their quorum: strata " +
				"restore --current; if all are lost: strata restore --new-hosts"},
		{"an earlier cluster that does not answer", []*sshtest.Server{booting}, false, "", "server a: "},
		{"an earlier cluster whose other servers lost K3s", []*sshtest.Server{without},
			false, "", "1 servers answer, and none has K3s"},
		{"an earlier cluster of one server", nil, false, "", "it is a new host, and the only server"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), roundLimit)
			defer cancel()
			input := Admission{Founds: "dev", none: test.none}
			for i, s := range test.servers {
				target := remote.Target{Address: "127.0.0.1", Port: nettest.Closed(t).Number(),
					HostKey: runs.Target().HostKey}
				if s != booting {
					target = s.Target()
				}
				target.Name = string(rune('a' + i))
				input.Servers = append(input.Servers, Member{Target: target, Role: "server"})
			}
			var keys []byte
			for _, s := range []*sshtest.Server{runs, without, down} {
				keys = append(keys, s.PrivateKey()...)
			}
			text, err := input.kubeconfig(ctx, keys, roundLimit/2)
			if test.refuse != "" {
				require.ErrorContains(t, err, test.refuse)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, string(text))
		})
	}
}

func TestRequestTimeoutGrowsUntilASlowServerAnswers(t *testing.T) {
	t.Parallel()
	slow := sshtest.Start(t)
	slow.Handler = func(call sshtest.Call) int {
		time.Sleep(time.Second)
		_, err := io.WriteString(call.Stdout, "kubeconfig")
		assert.NoError(t, err)
		return 0
	}
	input := Admission{Servers: []Member{{Target: slow.Target(), Role: "server"}}}
	text, err := input.kubeconfig(t.Context(), slow.PrivateKey(), 600*time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, "kubeconfig", string(text))
}

// A context that has ended says nothing about a server that has not answered yet.
func TestCanceledKubeconfigReadIsAnError(t *testing.T) {
	slow, ended := sshtest.Start(t), make(chan struct{})
	defer close(ended)
	asked := make(chan struct{})
	slow.Handler = func(sshtest.Call) int {
		close(asked)
		<-ended
		return 1
	}
	target := slow.Target()
	target.Name = "b"
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	input := Admission{none: true, Servers: []Member{{Target: target, Role: "server"}}}
	_, err := input.Kubeconfig(ctx, slow.PrivateKey())
	require.ErrorContains(t, err, "server b: ")
}
