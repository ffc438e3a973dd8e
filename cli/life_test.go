package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/members"
	"strata/actions/k3s/upgrade"
	"strata/health"
	"strata/internal/ssh/remote/sshtest"
)

// clusterState returns the state of a stack whose cluster has servers of these names. All of them
// are the same SSH server.
func clusterState(t *testing.T, server *sshtest.Server, names ...string) string {
	t.Helper()
	plan := upgrade.Plan{Version: "v1.34.3+k3s1", SHA256: "00"}
	for _, name := range names {
		target := server.Target()
		target.Name = name
		plan.Nodes = append(plan.Nodes, health.Host{Target: target, Role: "server"})
		plan.Servers = append(plan.Servers, "https://"+name+":6443")
	}
	stdin, err := json.Marshal(plan)
	require.NoError(t, err)
	state, err := json.Marshal(map[string]any{
		"deployment": map[string]any{"resources": []any{map[string]any{
			"urn": "urn::k3s-upgrade", "type": "command:local:Command",
			"inputs": map[string]any{
				"create": "exec .strata/bin/strata upgrade", "stdin": string(stdin),
				"environment": map[string]any{"STRATA_SSH_KEY": string(server.PrivateKey()),
					"STRATA_KUBECONFIG": ""},
			},
		}}}})
	require.NoError(t, err)
	return string(state)
}

// step returns the name of the step that a script runs: its last word, without the closing brace.
func step(script string) string {
	words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(script), "}"))
	return words[len(words)-1]
}

// snapshotServer returns a host that reports a snapshot with the checksum sum, and sends data as
// its content.
func snapshotServer(t *testing.T, sum [sha256.Size]byte, data string) *sshtest.Server {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		answer := data
		if step(call.Script) == "save" {
			answer = "on-demand-server-1-1 11 " + hex.EncodeToString(sum[:]) + "\n"
		}
		_, err := io.WriteString(call.Stdout, answer)
		assert.NoError(t, err)
		return 0
	}
	return server
}

func TestSnapshotCopyIsReadableByOwnerOnly(t *testing.T) {
	sum := sha256.Sum256([]byte("etcd's data"))
	fakePulumi(t, clusterState(t, snapshotServer(t, sum, "etcd's data"), "server-1", "server-2"))
	folder := t.TempDir()
	code, stdout, stderr := invoke(t, "", "snapshot", "-s", "dev", "--to", folder)
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "on-demand-server-1-1 on server-1: 11 bytes, sha256 "+
		hex.EncodeToString(sum[:]))
	copied := filepath.Join(folder, "on-demand-server-1-1")
	text, err := os.ReadFile(copied)
	require.NoError(t, err)
	assert.Equal(t, "etcd's data", string(text))
	info, err := os.Stat(copied)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestIncompleteSnapshotCopyIsRemoved(t *testing.T) {
	fakePulumi(t, clusterState(t, snapshotServer(t, sha256.Sum256([]byte("etcd's data")),
		"etcd's d"), "server-1"))
	folder := t.TempDir()
	code, stdout, stderr := invoke(t, "", "snapshot", "-s", "dev", "--to", folder)
	assert.Equal(t, 1, code)
	assert.NotContains(t, stdout, "copied")
	assert.Contains(t, stderr, "copy on-demand-server-1-1 of server-1: expected sha256 ")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestFailedSnapshotNamesRestoreCommand(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		_, err := io.WriteString(call.Stderr, "etcdserver: no leader")
		assert.NoError(t, err)
		return 1
	}
	fakePulumi(t, clusterState(t, server, "server-1", "server-2"))
	code, _, stderr := invoke(t, "", "snapshot", "-s", "dev")
	assert.Equal(t, 1, code)
	for _, want := range []string{"snapshot on server-1", "snapshot on server-2", "etcdserver: no leader", "strata restore --current"} {
		assert.Contains(t, stderr, want)
	}
}

func TestRestoreWithoutYesOnlyPrintsPlan(t *testing.T) {
	server := sshtest.Start(t)
	var steps []string
	server.Handler = func(call sshtest.Call) int {
		steps = append(steps, step(call.Script))
		_, err := io.WriteString(call.Stdout, "yes\n")
		assert.NoError(t, err)
		return 0
	}
	fakePulumi(t, clusterState(t, server, "server-1", "server-2", "server-3"))
	code, stdout, stderr := invoke(t, "", "restore", "-s", "dev", "--snapshot", "on-demand-1",
		"--without", "server-3")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "Nothing was done. With --yes:")
	assert.Contains(t, stdout, "K3s stops on server-1, server-2;")
	assert.Contains(t, stdout, "server-1 becomes the only member, with the data of on-demand-1")
	assert.Equal(t, []string{"holds"}, steps)
}

// A restore needs a working kubeconfig for its gates: the stack's or the host's own. The stack's
// client certificate expires after a year without an update.
func TestRestoreWithoutWorkingKubeconfigStopsNoServer(t *testing.T) {
	server := sshtest.Start(t)
	var steps []string
	server.Handler = func(call sshtest.Call) int {
		steps = append(steps, step(call.Script))
		if strings.Contains(call.Script, "k3s.yaml") {
			_, err := io.WriteString(call.Stderr,
				"cat: /etc/rancher/k3s/k3s.yaml: No such file or directory")
			assert.NoError(t, err)
			return 1
		}
		_, err := io.WriteString(call.Stdout, "yes\n")
		assert.NoError(t, err)
		return 0
	}
	fakePulumi(t, clusterState(t, server, "server-1"))
	code, _, stderr := invoke(t, "", "restore", "-s", "dev", "--snapshot", "on-demand-1", "--yes")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "refused, nothing was changed: no login would work afterwards")
	assert.Contains(t, stderr, "No such file or directory")
	assert.NotContains(t, steps, "stop")
}

func TestRestoreRequiresSourceAndKnownServer(t *testing.T) {
	code, _, stderr := invoke(t, "", "restore", "-s", "dev")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "snapshot file current")
	server := sshtest.Start(t)
	fakePulumi(t, clusterState(t, server, "server-1"))
	code, _, stderr = invoke(t, "", "restore", "-s", "dev", "--current", "--from", "server-9")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--from: no node is called server-9; there are server-1")
}

func TestSnapshotFailsWithoutCluster(t *testing.T) {
	fakePulumi(t, `{"deployment":{"resources":[]}}`)
	code, _, stderr := invoke(t, "", "snapshot", "-s", "dev")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "stack dev has no cluster yet: run pulumi up -s dev")
}

func TestAdmitAcceptsMemberAndHostBeforeFirstStart(t *testing.T) {
	for name, answer := range map[string]string{"a member": "member\n", "before the first start": ""} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t)
			asked := 0
			server.Handler = func(call sshtest.Call) int {
				asked++
				_, err := io.WriteString(call.Stdout, answer)
				assert.NoError(t, err)
				return 0
			}
			fakePulumi(t, `{"deployment":{"resources":[]}}`)
			t.Setenv("STRATA_SSH_KEY", string(server.PrivateKey()))
			target, err := json.Marshal(members.Member{Target: server.Target(), Role: "server"})
			require.NoError(t, err)
			code, stdout, stderr := invoke(t,
				fmt.Sprintf(`{"timeout":"10s","founds":"dev","node":%s,"servers":[%s]}`, target,
					target), "admit")
			require.Equal(t, 0, code, stderr)
			assert.Equal(t, server.Target().HostKey, strings.TrimSpace(stdout))
			if answer != "" {
				assert.Equal(t, 1, asked, "a member asks no server")
			}
		})
	}
}
