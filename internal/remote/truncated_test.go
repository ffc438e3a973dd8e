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

// A connection that dies while a script is sent must not have its beginning run: half a path to
// remove is another path.
func TestAScriptThatArrivesInPartIsNotRun(t *testing.T) {
	folder := t.TempDir()
	script := fmt.Sprintf("cd '%s'\n: > first\nif true; then\n: > second\nfi\n: > third", folder)
	var wire bytes.Buffer
	require.NoError(t, feed(t.Context(), &wire, job{script: script, stdin: strings.NewReader("")}))
	for _, until := range []string{": > first\n", "if true; then\n", ": > sec", "fi\n", ": > third"} {
		t.Run(until, func(t *testing.T) {
			sent, _, found := strings.Cut(wire.String(), until)
			require.True(t, found)
			command := exec.Command("sh", "-c", bootstrap, "strata")
			command.Stdin = strings.NewReader(sent + until)
			command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it ends its own group
			require.Error(t, command.Run())
			there, err := exec.Command("ls", folder).Output()
			require.NoError(t, err)
			assert.Empty(t, string(there))
		})
	}
}
