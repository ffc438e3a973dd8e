package restore

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
)

const snapshots = database + "/snapshots/"

// saving returns a server that has an older snapshot. The shell script k3s stands in for the k3s
// binary that takes the new snapshot.
func saving(t *testing.T, k3s string) *host {
	h := newHost(t)
	h.write(snapshots+"on-demand-server-1-1", "from before")
	h.write("/bin/k3s", "#!/bin/sh\n"+strings.ReplaceAll(k3s, "SNAPSHOTS/", h.root+snapshots)+"\n")
	return h
}

// took imitates K3s taking a snapshot, with its log lines.
const took = `printf new > SNAPSHOTS/on-demand-server-1-2; echo 'time="2026-11-24T08:00:00Z" level=info msg="Snapshot on-demand-server-1-2 saved."' >&2`

func TestSaveReturnsSnapshotReportedByK3s(t *testing.T) {
	for name, after := range map[string]string{"": "",
		"another snapshot is written meanwhile": "; printf later > SNAPSHOTS/on-demand-server-1-3"} {
		t.Run(name, func(t *testing.T) {
			out, err := saving(t, took+after).run("save", nil)
			require.NoError(t, err, out)
			assert.Equal(t, fmt.Sprintf("on-demand-server-1-2 3 %x\n",
				sha256.Sum256([]byte("new"))), out)
		})
	}
}

// K3s's command exits with 0 even if its server could not write the file because the disk is full.
// It then reports no snapshot as saved.
func TestSaveFailsWhenK3sReportsNoNewSnapshot(t *testing.T) {
	for name, k3s := range map[string]string{
		"no output":                        "",
		"the reported file does not exist": `echo 'level=info msg="Snapshot on-demand-server-1-2 saved."' >&2`,
		"other output":                     `echo 'level=info msg="Reconciling snapshots"' >&2`,
		"a new file that is not reported":  "printf half > SNAPSHOTS/on-demand-server-1-2",
		"the command fails":                `echo "no space left on device" >&2; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			out, err := saving(t, k3s).run("save", nil)
			require.Error(t, err, out)
			assert.NotContains(t, out, "on-demand-server-1-1")
			if strings.Contains(k3s, "exit") {
				assert.Contains(t, out, "no space left on device\nk3s etcd-snapshot save failed")
				return
			}
			assert.Contains(t, out, "expected a new file on-demand-* in ")
			assert.Regexp(t, `found none; \S+ free there; see: journalctl -u k3s`, out)
		})
	}
}

// A server without its quorum writes the snapshot in a second. Then it tries for two minutes to
// record it in the API, and fails.
func TestSaveAcceptsCompleteUnrecordedSnapshot(t *testing.T) {
	const failed = `; echo 'level=fatal msg="Error: Post ... context deadline exceeded"' >&2; exit 1`
	sum := sha256.Sum256([]byte("what etcd has"))
	whole := "what etcd has" + string(sum[:])
	taking := func(k3s string) (string, error) {
		h := saving(t, k3s+failed)
		h.write(database+"/whole", whole)
		return h.run("save", nil)
	}
	out, err := taking("cp SNAPSHOTS/../whole SNAPSHOTS/on-demand-server-1-2")
	require.NoError(t, err, out)
	assert.Contains(t, out, fmt.Sprintf("on-demand-server-1-2 %d %x\n", len(whole),
		sha256.Sum256([]byte(whole))))
	assert.Contains(t, out, "context deadline exceeded", "it is said")
	for name, k3s := range map[string]string{
		"an incomplete file":           "printf half > SNAPSHOTS/on-demand-server-1-2",
		"a file with the suffix .part": "cp SNAPSHOTS/../whole SNAPSHOTS/on-demand-server-1-2.part",
		"a scheduled snapshot":         "cp SNAPSHOTS/../whole SNAPSHOTS/etcd-snapshot-server-1-2",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := taking(k3s)
			require.Error(t, err, out)
			assert.Contains(t, out, "k3s etcd-snapshot save failed")
		})
	}
}

// A killed server leaves a partial file, which K3s would list as a snapshot. A file that is being
// written stays.
func TestPartialSnapshotIsHiddenAndRemovedByNextSave(t *testing.T) {
	h := saving(t, took)
	h.write(snapshots+"on-demand-server-1-0.part", "half")
	h.write(snapshots+"on-demand-server-1-9.part", "being written")
	writing, err := os.Open(h.root + snapshots + "on-demand-server-1-9.part")
	require.NoError(t, err)
	defer func() { _ = writing.Close() }()
	list, err := h.run("list", nil)
	require.NoError(t, err)
	assert.NotContains(t, list, ".part")
	assert.Contains(t, list, "on-demand-server-1-1 11 ")
	out, err := h.run("save", nil)
	require.NoError(t, err, out)
	assert.NoFileExists(t, h.root+snapshots+"on-demand-server-1-0.part")
	assert.FileExists(t, h.root+snapshots+"on-demand-server-1-9.part")
}

// When a script's caller ends, package remote kills the script's process group. K3s's command must
// end as well, or it blocks the next snapshot.
func TestInterruptedSaveEndsK3sCommandOnHost(t *testing.T) {
	h := saving(t, "echo $$ > SNAPSHOTS/pid; exec sleep 60")
	command := h.command((&SSH{SHA256: "00"}).script(health.Host{Role: "server"}, "save", nil))
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, command.Start())
	var pid int
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(h.root + snapshots + "pid")
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && pid != 0
	}, 10*time.Second, 10*time.Millisecond)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	require.NoError(t, syscall.Kill(-command.Process.Pid, syscall.SIGTERM))
	require.Error(t, command.Wait())
	require.Eventually(t, func() bool {
		return !isRunning(pid)
	}, 5*time.Second, 10*time.Millisecond, "k3s etcd-snapshot save goes on")
}

// isRunning reports whether a process runs. A zombie does not count.
func isRunning(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
