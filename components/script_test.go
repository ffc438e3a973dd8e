package components

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote"
)

func seconds(n int) metav1.Duration { return metav1.Duration{Duration: time.Duration(n) * time.Second} }

// shell runs a command's text as sshd does: with the user's shell and -c.
func shell(t *testing.T, text, stdin string, env ...string) (output string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-c", text)
	command.Stdin = strings.NewReader(stdin)
	command.Env = append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

// Text with everything that a shell may take for its own.
const nasty = "it's \"quoted\" $HOME `id` \\ * ; & | > #\nand a second line"

func TestAQuotedTextStaysOneWord(t *testing.T) {
	for _, text := range []string{nasty, "", "'", "''", "-n", "a b"} {
		out, code := shell(t, "printf '[%s]' "+remote.Quote(text), "")
		assert.Zero(t, code)
		assert.Equal(t, "["+text+"]", out)
	}
}

func TestAScriptArrivesWholeThroughEveryShellOnTheWay(t *testing.T) {
	out, code := shell(t, onHost("root", "value="+remote.Quote(nasty)+"\nprintf '%s' \"$value\"", seconds(5)), "")
	assert.Zero(t, code)
	assert.Equal(t, nasty, strings.TrimSuffix(out, "\n"))
}

func TestAScriptsExitCodeAndErrorsComeBack(t *testing.T) {
	out, code := shell(t, onHost("root", "echo out; echo err >&2; exit 3", seconds(5)), "")
	assert.Equal(t, 3, code)
	assert.Equal(t, "out\nerr\n", out)
	for name, script := range map[string]string{
		"a failing command":   "false; echo went on",
		"a failing pipe":      "false | true; echo went on",
		"an unknown variable": "echo $NOWHERE; echo went on",
	} {
		out, code := shell(t, onHost("root", script, seconds(5)), "")
		assert.NotZero(t, code, name)
		assert.NotContains(t, out, "went on", name)
	}
}

func TestAScriptReadsItsStdin(t *testing.T) {
	out, code := shell(t, onHost("root", "cat", seconds(5)), "a: b\n")
	assert.Zero(t, code)
	assert.Equal(t, "a: b\n", out)
}

// A longer line than 64 KiB would stop the provider's reader for ever.
func TestALongLineIsCut(t *testing.T) {
	out, code := shell(t, onHost("root", "head -c 100000 /dev/zero | tr '\\0' x; echo; echo end", seconds(5)), "")
	assert.Zero(t, code)
	assert.Equal(t, strings.Repeat("x", 2000)+"\nend\n", out)
}

func TestAScriptThatHangsIsKilledOnTheHost(t *testing.T) {
	start := time.Now()
	_, code := shell(t, onHost("root", "sleep 60 & wait", seconds(1)), "")
	assert.Equal(t, 124, code)
	assert.Less(t, time.Since(start), 10*time.Second)
}

func TestOtherUsersThanRootUseSudoWithoutAPrompt(t *testing.T) {
	bin := t.TempDir()
	executable(t, filepath.Join(bin, "sudo"), "#!/bin/sh\necho \"sudo $1 $2\"; shift; exec \"$@\"\n")
	out, code := shell(t, onHost("strata", "echo ran", seconds(5)), "", "PATH="+bin+":"+os.Getenv("PATH"))
	assert.Zero(t, code)
	assert.Equal(t, "sudo -n timeout\nran\n", out)
	assert.NotContains(t, onHost("root", "true", seconds(5)), "sudo")
}

func TestABoundIsRoundedUp(t *testing.T) {
	text := onHost("root", "true", metav1.Duration{Duration: 1500 * time.Millisecond})
	assert.Contains(t, text, "timeout -k 5 2 ", "0 would mean no bound")
}

// embedded are the scripts with the variables that their callers set.
var embedded = map[string][]variable{
	"k3s-install.sh":   {{"ROLE", "server"}, {"FIRST", "true"}, {"PEERS", "10.0.0.2 10.0.0.3"}, {"BINARY_SHA256", "00"}, {"CONFIG_SHA256", "00"}},
	"k3s-claim.sh":     nil,
	"k3s-uninstall.sh": nil,
	"k3s-vip.sh": {
		{"NAME", "server-1"}, {"ADDRESS", "10.0.0.1"}, {"PEERS", "10.0.0.2 10.0.0.3"}, {"VIP", "10.0.0.10"}, {"ROUTER", "11"}, {"MARK", keepalivedMark},
	},
	"k3s-vip-remove.sh": {{"MARK", keepalivedMark}},
}

func TestEveryEmbeddedScriptParses(t *testing.T) {
	entries, err := scripts.ReadDir("scripts")
	require.NoError(t, err)
	require.Len(t, entries, len(embedded), "a new script needs its variables here")
	for name, variables := range embedded {
		text := remoteScript("root", name, seconds(5), append(owned(ownCluster, "here"), variables...)...)
		out, err := exec.CommandContext(t.Context(), "bash", "-n", "-c", text).CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
	}
}

func TestEveryEmbeddedScriptPassesShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed: apt-get install shellcheck")
	}
	for name, variables := range embedded {
		content, err := scripts.ReadFile("scripts/" + name)
		require.NoError(t, err)
		header := "set -euo pipefail\n"
		if shared[name] != "" {
			variables = append(owned(ownCluster, "here"), variables...)
		}
		for _, v := range variables {
			header += v.name + "=" + remote.Quote(v.value) + "\n"
		}
		check := exec.CommandContext(t.Context(), "shellcheck", "-s", "bash", "-")
		check.Stdin = strings.NewReader(header + shared[name] + string(content))
		out, err := check.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
	}
}

// executable writes a file that can be run.
func executable(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
}
