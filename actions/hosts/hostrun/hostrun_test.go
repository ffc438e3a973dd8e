package hostrun_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// run runs the input's script, or its Delete script, on a fake host.
func run(t *testing.T, input hostrun.Input, gone bool) (string, error) {
	t.Helper()
	server := sshtest.Start(t)
	input.Target = server.Target()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out bytes.Buffer
	err := input.Run(ctx, gone, server.PrivateKey(), &out)
	return out.String(), err
}

// nasty contains all characters that have a meaning in some shell.
const nasty = "it's \"quoted\" $HOME `id` \\ * ; & | > #\nand a second line"

func TestScriptVariableKeepsSpecialCharacters(t *testing.T) {
	out, err := run(t, hostrun.Input{Script: "value=" + remote.Quote(nasty) +
		"\nprintf '%s\\n' \"$value\""}, false)
	require.NoError(t, err)
	assert.Equal(t, nasty+"\n", out)
}

func TestFailedScriptStopsAndReportsExitCodeAndOutput(t *testing.T) {
	out, err := run(t, hostrun.Input{Script: "secret=in-the-script; echo out; echo err >&2; exit 3",
		Stdin: "in-the-input"}, false)
	var exit *remote.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.Code)
	assert.Equal(t, "out\nerr\n", out)
	assert.Contains(t, err.Error(), "host-1")
	assert.NotContains(t, err.Error(), "in-the-")
	for name, script := range map[string]string{
		"a failing command":   "false; echo went on",
		"a failing pipe":      "false | true; echo went on",
		"an unknown variable": "echo $NOWHERE; echo went on",
	} {
		out, err := run(t, hostrun.Input{Script: script}, false)
		require.Error(t, err, name)
		assert.NotContains(t, out, "went on", name)
	}
}

func TestScriptReceivesWholeStdin(t *testing.T) {
	out, err := run(t, hostrun.Input{Script: "cat; echo end", Stdin: "a: b\n"}, false)
	require.NoError(t, err)
	assert.Equal(t, "a: b\nend\n", out)
}

// A line longer than 64 KiB would stop the provider's reader for ever.
func TestLongLineOfScriptOutputIsTruncated(t *testing.T) {
	out, err := run(t, hostrun.Input{Script: "head -c 100000 /dev/zero | tr '\\0' x; echo; echo end"}, false)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("x", 2000)+"\nend\n", out)
}

func TestDeleteRunsDeleteScriptIfThereIsOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	input := hostrun.Input{Script: "echo made > " + file, Delete: "rm " + file}
	_, err := run(t, input, false)
	require.NoError(t, err)
	require.FileExists(t, file)
	_, err = run(t, input, true)
	require.NoError(t, err)
	_, err = os.Stat(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, hostrun.Input{Script: "true"}.Run(t.Context(), true, nil, nil))
}

func TestHangingScriptEndsAtTimeout(t *testing.T) {
	server := sshtest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	err := hostrun.Input{Script: "sleep 60 & wait", Target: server.Target()}.Run(ctx, false,
		server.PrivateKey(), &bytes.Buffer{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(start), 10*time.Second)
}
