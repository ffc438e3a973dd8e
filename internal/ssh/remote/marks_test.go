package remote_test

import (
	"context"
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
)

// answers returns a login shell that runs script instead of every command. $1 is the command.
func answers(script string) []string { return []string{"sh", "-c", script} }

// The test runs with each login shell that is installed on this machine. tests/e2e/logins_test.go
// runs with all of them on a real host.
func TestScriptRunsUnderEveryLoginShell(t *testing.T) {
	for _, shell := range []string{"sh", "bash", "rbash", "dash", "fish", "tcsh", "csh", "zsh", "ksh", "mksh"} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			server := sshtest.Start(t)
			server.User, server.Shell = "admin", []string{path}
			result, err := connect(t, server).Run(soon(t), "printf 'no newline'; cat; exit 5",
				[]byte(" and input"))
			var exit *remote.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 5, exit.Code)
			assert.Equal(t, "no newline and input", string(result.Stdout))
		})
	}
}

// A host may print its own output instead of running the script. Such output never counts as the
// script's success.
func TestForcedCommandFailsScriptWithItsOutput(t *testing.T) {
	cloud := `Please login as the user "debian" rather than the user "root".`
	for name, test := range map[string]struct{ shell, quoted, code string }{
		"a forced echo":               {"echo maintenance", "maintenance", "exit code 0"},
		"cloud-init's forced command": {"echo '" + cloud + "'; exit 142", cloud, "exit code 142"},
		"a sentence on stderr": {"echo 'This account is not available.' >&2; exit 1",
			"This account is not", "exit code 1"},
		"nothing at all":        {"exit 1", "", "exit code 1"},
		"the command, repeated": {`echo "$1"`, "sh -c", "exit code 0"},
		"the input, repeated":   {"head -n 1", "strata-begin ", "another program than the shell"},
		"marks of another run": {"echo strata-begins A; echo strata-ended A 0",
			"strata-ended A 0", "exit code 0"},
	} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t)
			server.Shell = answers(test.shell)
			client := connect(t, server)
			result, err := client.Run(soon(t), "echo ran", []byte("secret-input"))
			require.ErrorIs(t, err, remote.ErrNotRun)
			assert.ErrorContains(t, err, test.quoted)
			assert.ErrorContains(t, err, test.code)
			assert.Equal(t, -1, result.Code)
			assert.Empty(t, string(result.Stdout))
			assert.NotContains(t, err.Error(), "secret-input")

			local, sum := artifact(t, 1000)
			dest := filepath.Join(t.TempDir(), "k3s")
			_, err = client.Push(soon(t),
				remote.Upload{File: local, Dest: dest, Mode: 0o600, SHA256: sum})
			require.ErrorIs(t, err, remote.ErrNotRun)
			require.NoFileExists(t, dest)
		})
	}
}

// A profile may replace the shell with another program, for example by `exec zsh`. A program that
// reads its input gets only begin lines: no script, input or password.
func TestProgramInPlaceOfShellFailsAtOnceAndGetsNoSecret(t *testing.T) {
	for _, program := range []string{"cat", "sh", "bash", "fish", "zsh", "tcsh", "ksh"} {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				t.Skip(program + " is not installed")
			}
			server := sshtest.Start(t)
			server.User, server.Shell = "admin", answers("exec "+program)
			client := connect(t, server)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := client.Run(ctx, "secret=in-the-script", []byte("in-the-input"))
			require.ErrorIs(t, err, remote.ErrNotRun)
			assert.ErrorContains(t, err, "starts another program than the shell")
			assert.ErrorContains(t, err, "strata-begin")
			assert.NotContains(t, err.Error(), "in-the-")
		})
	}
}

// A host may show a menu instead of the shell, and the menu waits for ever.
func TestScriptThatNeverStartsFailsWithHostOutput(t *testing.T) {
	server := sshtest.Start(t)
	server.Shell = answers("echo '1) Reboot  2) Shell'; exec cat >/dev/null")
	client := connect(t, server)
	client.SetBeginWithin(300 * time.Millisecond)
	_, err := client.Run(soon(t), "true", nil)
	require.ErrorContains(t, err, "did not begin within 300ms; the host says: 1) Reboot 2) Shell")
	require.NotErrorIs(t, err, remote.ErrNotRun, "it may be slow")
}

func TestProfileOutputIsSeparatedFromScriptOutput(t *testing.T) {
	server := sshtest.Start(t)
	server.User = "admin"
	server.Shell = answers(`echo Welcome; echo careful >&2
sh -c "$1"
echo 'strata-ended 0 0'; echo Bye; exit 9`)
	client := connect(t, server)
	result, err := client.Run(soon(t), "echo out; echo err >&2", nil)
	require.NoError(t, err)
	assert.Equal(t, "out\n", string(result.Stdout))
	assert.Equal(t, "err\n", string(result.Stderr))
	var lines []string
	require.NoError(t, client.Stream(soon(t), "echo a; echo b", nil,
		func(line string) { lines = append(lines, line) }))
	assert.Equal(t, []string{"a", "b"}, lines)

	local, sum := artifact(t, 1<<20)
	upload := remote.Upload{File: local, Dest: filepath.Join(t.TempDir(), "k3s"), Mode: 0o600,
		SHA256: sum}
	for _, expected := range []bool{true, false} {
		sent, err := client.Push(soon(t), upload)
		require.NoError(t, err)
		assert.Equal(t, expected, sent)
	}
}

// If sudo cannot resolve the host's name, it prints a warning and works. So its output does not
// prove a refusal.
func TestScriptFailureIsNotReportedAsSudoRefusal(t *testing.T) {
	server := sshtest.Start(t)
	server.User = "admin"
	server.Sudo = `echo "sudo: unable to resolve host nowhere: Name or service not known" >&2
while [ "$1" != -- ]; do shift; done
shift
exec "$@"`
	_, err := connect(t, server).Run(soon(t), "echo sudo: script >&2; exit 28", nil)
	var exit *remote.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 28, exit.Code)
	assert.Equal(t, "sudo: script", exit.Stderr)
}

func TestSudoRefusalIsQuotedInAnyLanguageWithFix(t *testing.T) {
	for name, test := range map[string]struct{ sudo, fix string }{
		"a password, in French": {`echo "sudo : il est nécessaire de saisir un mot de passe" >&2; exit 1`, "NOPASSWD"},
		"requiretty": {`echo "sudo: sorry, you must have a tty to run sudo" >&2; exit 1`,
			"Defaults:admin !requiretty"},
		"requiretty, in German": {`echo "sudo: Sie müssen ein TTY haben" >&2; exit 1`,
			"Defaults:admin !requiretty"},
		"secure_path": {`echo "sudo: sh: command not found" >&2; exit 1`, "secure_path"},
		"runcwd": {`echo "sudo: unable to change directory to /nowhere: x" >&2; exit 1`,
			"correct runcwd"},
		"a rule": {`echo "Sorry, user admin is not allowed to execute '/usr/bin/sh'" >&2; exit 1`,
			"behind all other rules in /etc/sudoers.d: admin ALL=(ALL) NOPASSWD:ALL"},
		"no sudo": {`exit 127`, "install sudo and allow it to admin"},
	} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t)
			server.User, server.Sudo = "admin", test.sudo
			_, err := connect(t, server).Run(soon(t), "true", nil)
			require.ErrorIs(t, err, remote.ErrSudo)
			assert.ErrorContains(t, err, test.fix)
			if !strings.Contains(name, "password") {
				assert.NotContains(t, err.Error(), "set the sudo password")
			}
		})
	}
}

// sudo refuses even the right password if sudoers does not allow the user to run sh.
func TestSudoersRefusalIsNotReportedAsWrongPassword(t *testing.T) {
	server := sshtest.Start(t)
	server.User, server.Sudo = "admin", `IFS= read -r given
while [ "$1" != -- ]; do shift; done
[ "$2" != sh ] || { echo "Sorry, user admin is not allowed to execute 'sh'" >&2; exit 1; }`
	_, err := remote.Dial(soon(t), server.Target(),
		append(server.PrivateKey(), remote.SudoPassword("right", "")...))
	require.ErrorIs(t, err, remote.ErrSudoPassword)
	assert.ErrorContains(t, err, "/etc/sudoers.d: admin ALL=(ALL) ALL")
	assert.NotContains(t, err.Error(), "correct the sudo password")
}

// With sudo's noexec, or without head in the PATH, the shell ends before it runs the script.
func TestErrorOfShellThatEndsEarlyQuotesItsOutput(t *testing.T) {
	server := sshtest.Start(t)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "head"),
		[]byte("#!/bin/sh\necho 'head: Permission denied' >&2; exit 126\n"), 0o755))
	server.Shell = answers("PATH=" + folder + ":$PATH exec sh -c \"$1\"")
	_, err := connect(t, server).Run(soon(t), "true", nil)
	require.ErrorContains(t, err, "broke off: its shell ended with exit code 0 before it; "+
		"it was killed, or the host goes down, or its last words say why: head: Permission denied")
}

// Only the script's own end mark shows that the script ended. The exit code of its login shell does
// not.
func TestIncompleteScriptHasNoExitCode(t *testing.T) {
	for shell, words := range map[string]string{
		`exec sh -c "$1"`:           "ended by signal KILL",
		`setsid sh -c "$1"; exit 7`: "broke off: its shell ended with exit code 7",
		`setsid sh -c "$1"; exit 0`: "broke off: its shell ended with exit code 0",
	} {
		t.Run(words, func(t *testing.T) {
			server := sshtest.Start(t)
			server.Shell = answers(shell)
			result, err := connect(t, server).Run(soon(t), "echo part; kill -KILL 0", nil)
			require.ErrorContains(t, err, words)
			var exit *remote.ExitError
			require.NotErrorAs(t, err, &exit)
			assert.Equal(t, -1, result.Code)
			assert.Equal(t, "part\n", string(result.Stdout))
		})
	}
}

func TestSignaledScriptErrorNamesSignal(t *testing.T) {
	_, err := connect(t, sshtest.Start(t)).Run(soon(t), "sh -c 'kill -TERM $$'", nil)
	require.ErrorContains(t, err, "exit code 143 (SIGTERM) on host-1")
}
