package remote

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If a connection breaks while a script is sent, the received part must not run. For example, half
// of a path in an rm command is another path.
func TestPartialScriptIsNotRun(t *testing.T) {
	folder := t.TempDir()
	script := fmt.Sprintf("cd '%s'\n: > first\nif true; then\n: > second\nfi\n: > third", folder)
	client := &Client{target: Target{User: "root"}}
	r := run{job: job{script: script, stdin: strings.NewReader("")}, client: client, mark: "MARK"}
	r.stages = client.stages(r.job)
	r.stdout = newMarked(r.mark, "out", "err", 1, nil)
	r.stdout.steps <- begins
	var wire bytes.Buffer
	require.NoError(t, r.feed(t.Context(), &wire))
	for _, until := range []string{"script=$(head -c", ": > first\n", "if true; then\n", ": > sec",
		"fi\n", ": > third"} {
		t.Run(until, func(t *testing.T) {
			sent, _, found := strings.Cut(wire.String(), until)
			require.True(t, found)
			command := exec.Command("sh", "-c", shell)
			command.Stdin = strings.NewReader(sent + until)
			command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the script ends its own process group
			output, _ := command.CombinedOutput()
			assert.NotContains(t, string(output), "strata-ended MARK 0")
			there, err := exec.Command("ls", folder).Output()
			require.NoError(t, err)
			assert.Empty(t, string(there))
		})
	}
}

// A mark may arrive in any pieces. Other bytes are passed on at once.
func TestBeginAndEndMarksAreFoundAcrossWrites(t *testing.T) {
	stream := "Welcome\nstrata-begins MARK out\nstrata-ended OTHER 3\nout strata-en" +
		"strata-ended MARK 28\nBye strata-ended MARK 0\n"
	for size := 1; size <= len(stream); size++ {
		var out bytes.Buffer
		m := newMarked("MARK", "out", "err", 1, &out)
		for rest := []byte(stream); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			_, err := m.Write(rest[:min(size, len(rest))])
			require.NoError(t, err)
		}
		assert.Equal(t, "strata-ended OTHER 3\nout strata-en", out.String(), size)
		assert.EqualValues(t, 28, m.code.Load(), size)
	}
	var out bytes.Buffer
	m := newMarked("MARK", "out", "err", 1, &out)
	for _, piece := range []string{"strata-begins MARK out\n", ".", "line\n", "no newline"} {
		out.Reset()
		_, err := m.Write([]byte(piece))
		require.NoError(t, err)
		assert.Equal(t, strings.TrimPrefix(piece, "strata-begins MARK out\n"), out.String())
	}
}
