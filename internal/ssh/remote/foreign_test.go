package remote_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// A startup file of the shell or a wrapper may print the command line, and still execute it.
func TestScriptRunsThoughShellEchoesCommandLine(t *testing.T) {
	for name, script := range map[string]string{
		"a log":         `echo "runs: $1" >&2; echo "$1"; exec sh -c "$1"`,
		"xtrace":        `set -x; eval "$1"`,
		"bash's xtrace": `export SHELLOPTS; exec bash -xc "$1"`,
		"verbose":       `exec sh -vc "$1"`,
	} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t)
			server.User, server.Shell = "admin", answers(script)
			result, err := connect(t, server).Run(soon(t), "echo out", nil)
			require.NoError(t, err)
			assert.Equal(t, "out\n", string(result.Stdout))
		})
	}
}

// A startup file of the shell may read standard input, including the first begin line.
func TestScriptRunsThoughStartupFileReadsInput(t *testing.T) {
	for _, reads := range []string{"read -r x", "head -n 1 >/dev/null", "dd bs=5 count=1 2>/dev/null"} {
		for _, user := range []string{"root", "admin"} {
			t.Run(reads+" as "+user, func(t *testing.T) {
				server := sshtest.Start(t)
				server.User, server.Shell = user, answers(reads+`; exec sh -c "$1"`)
				start := time.Now()
				result, err := connect(t, server).Run(soon(t), "echo out; cat", []byte("input"))
				require.NoError(t, err)
				assert.Equal(t, "out\ninput", string(result.Stdout))
				assert.Less(t, time.Since(start), 10*time.Second)
			})
		}
	}
}

// If a login joins standard output and error, nothing separates a script's output from its
// messages.
func TestLoginThatJoinsStdoutAndStderrIsRefused(t *testing.T) {
	for name, script := range map[string]string{
		"stderr on stdout":           `exec 2>&1; eval "$1"`,
		"stdout on stderr":           `exec 1>&2; eval "$1"`,
		"stderr on stdout by a pipe": `{ eval "$1"; } 2>&1 | cat`,
		"stderr on stdout, late":     `{ eval "$1"; } 2>&1 >&3 3>&- | { sleep 0.3; cat; } 3>&-`,
	} {
		for _, user := range []string{"root", "admin"} {
			t.Run(name+" as "+user, func(t *testing.T) {
				server := sshtest.Start(t)
				server.User, server.Shell = user, answers("exec 3>&1; "+script)
				result, err := connect(t, server).Run(soon(t), "echo out; sleep 1; echo err >&2", nil)
				require.ErrorContains(t, err, "joins standard error and standard output")
				assert.Equal(t, -1, result.Code)
				assert.NotContains(t, string(result.Stdout), "strata-")
				if name != "stderr on stdout, late" {
					require.ErrorIs(t, err, remote.ErrNotRun)
					assert.Empty(t, string(result.Stdout))
				}
			})
		}
	}
}

// A background process may hold the output of a script that has ended.
func TestBackgroundProcessDoesNotDelayScriptResult(t *testing.T) {
	for name, test := range map[string]struct{ shell, script string }{
		"by the start file": {`sleep 30 & exec sh -c "$1"`, "exit 5"},
		"by the script":     {`exec sh -c "$1"`, "sleep 30 & exit 5"},
	} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t)
			server.Shell = answers(test.shell)
			start := time.Now()
			result, err := connect(t, server).Run(soon(t), "echo out; echo err >&2; "+test.script,
				nil)
			require.ErrorContains(t, err, "exit code 5")
			assert.Equal(t, "out\n", string(result.Stdout))
			assert.Equal(t, "err\n", string(result.Stderr))
			assert.Less(t, time.Since(start), 20*time.Second)
		})
	}
}
