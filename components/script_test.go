package components

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

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

// embedded are the scripts with the variables that their callers set.
var embedded = map[string][]variable{
	"k3s-install.sh": {{"ROLE", "server"}, {"FOUNDS", "true"}, {"PEERS", "10.0.0.2 10.0.0.3"},
		{"BINARY_SHA256", "00"}, {"CONFIG_SHA256", "00"}},
	"k3s-ca-hash.sh":   nil,
	"k3s-claim.sh":     nil,
	"k3s-uninstall.sh": nil,
	"k3s-vip.sh": {
		{"NAME", "server-1"}, {"ADDRESS", "10.0.0.1"}, {"PEERS", "10.0.0.2 10.0.0.3"},
		{"VIP", "10.0.0.10"}, {"ROUTER", "11"}, {"MARK", keepalivedMark},
	},
	"k3s-vip-remove.sh": {{"MARK", keepalivedMark}},
}

func TestEveryEmbeddedScriptParses(t *testing.T) {
	entries, err := scripts.ReadDir("scripts")
	require.NoError(t, err)
	require.Len(t, entries, len(embedded), "a new script needs its variables here")
	for name, variables := range embedded {
		text := hostScript(name, append(ownerVariables(ownCluster, "here"), variables...)...)
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
		if strings.Contains(shared[name], k3shost.Ownership) {
			variables = append(ownerVariables(ownCluster, "here"), variables...)
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
