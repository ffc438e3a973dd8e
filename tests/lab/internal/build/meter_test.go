package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines of /proc/PID/stat (proc_pid_stat(5)). A process's name may contain any character.
const (
	lab     = "100 (lab) S 1 100 100 0 -1 4194560 1 1 0 0 500 500 500 500 20 0 1 0 1 1 1"
	goTool  = "101 (go) S 100 100 100 0 -1 4194560 1 1 0 0 10 5 2000 300 20 0 1 0 1 1 1"
	compile = "102 (x) (y) R) R 101 100 100 0 -1 4194560 1 1 0 0 150 50 0 0 20 0 1 0 1 1 1"
	other   = "103 (other) R 1 103 103 0 -1 4194560 1 1 0 0 9999 9999 0 0 20 0 1 0 1 1 1"
)

func TestDescendantsIncludeTimeOfEndedChildren(t *testing.T) {
	proc := t.TempDir()
	for pid, text := range map[string]string{"100": lab, "101": goTool, "102": compile,
		"103": other, "104": "104 (cut off"} {
		require.NoError(t, os.Mkdir(filepath.Join(proc, pid), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(proc, pid, "stat"), []byte(text), 0o600))
	}
	assert.Equal(t, 23150*time.Millisecond+2*time.Second, descendants(proc, 100))
}

func TestMeterCountsChildTimeOnce(t *testing.T) {
	var m meter
	m.take()
	require.NoError(t, exec.CommandContext(t.Context(), "sh", "-c", "i=0; while [ $i -lt 200000 "+
		"]; do i=$((i+1)); done").Run())
	first := m.take()
	assert.Greater(t, first, 50*time.Millisecond)
	assert.Less(t, m.take(), first/2)
	assert.GreaterOrEqual(t, m.total(), first)
}
