package health

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheProbesAreCleanShell(t *testing.T) {
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	scripts, err := filepath.Glob("probe/*.sh")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	out, err := exec.Command(checker, append([]string{"--shell=sh"}, scripts...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// runProbe runs a probe on this machine and returns its blocks.
func runProbe(t *testing.T, script string, settings map[string]string) []block {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh")
	command.Stdin = strings.NewReader(withSettings(script, settings))
	out, err := command.Output()
	require.NoError(t, err)
	var all []block
	lines := blocks{take: func(b block) { all = append(all, b) }}
	for line := range strings.Lines(string(out)) {
		lines.line(strings.TrimSuffix(line, "\n"))
	}
	return all
}

func TestTheHostProbeSeesThisMachine(t *testing.T) {
	listener := listen(t)
	looks := runProbe(t, hostScript, map[string]string{"modules": "no_such_module", "ports": listener + " 1", "programs": "sh no-such-program", "once": "yes"})
	require.Len(t, looks, 1)
	seen := looks[0]
	for _, key := range []string{"os", "arch", "kernel", "uid", "hostname", "cloudinit", "disk_at", "time"} {
		assert.NotEmptyf(t, seen.get(key), "%s in %v", key, seen)
	}
	assert.Positive(t, seen.number("memory_mib"))
	assert.Positive(t, seen.number("disk_mib"))
	assert.Positive(t, seen.number("time"))
	assert.Equal(t, []string{"no_such_module missing"}, seen["module"])
	require.Len(t, seen["port"], 2)
	assert.Contains(t, seen["port"][0], listener+" held ")
	assert.Contains(t, seen["port"][0], "health.test", "it names the program that listens")
	assert.Equal(t, "1 free", seen["port"][1])
}

func TestTheCommandProbeGivesCodeAndOutput(t *testing.T) {
	// The command ends the loop by itself on its third run; the second looks like the first and is not printed.
	dir := t.TempDir()
	command := "n=$(cat " + dir + "/n 2>/dev/null); n=$((${n:-0} + 1)); echo $n >" + dir + "/n; " +
		"[ $n -lt 3 ] || kill $$; echo refused; echo why >&2; false"
	shell := exec.CommandContext(t.Context(), "sh")
	shell.Stdin = strings.NewReader(withSettings(commandScript, map[string]string{"command": command, "pause": "0.01", "calm": "0.01"}))
	out, err := shell.Output()
	require.Error(t, err)
	assert.Equal(t, "code=1\noutput=refused\noutput=why\nend\n", string(out))
}

func TestSettingsCannotBreakOutOfTheirQuotes(t *testing.T) {
	looks := runProbe(t, `printf 'seen=%s\nend\n' "$text"`, map[string]string{"text": "a'; echo broken; '$(id)"})
	require.Len(t, looks, 1)
	assert.Equal(t, "a'; echo broken; '$(id)", looks[0].get("seen"))
}
