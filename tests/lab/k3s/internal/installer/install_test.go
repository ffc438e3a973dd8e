package installer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is the path of the install script: the lab's, or upstream's if K3S_INSTALL names it.
var script, isOriginal = named("K3S_INSTALL", "../../install.sh")

func named(variable, otherwise string) (string, bool) {
	if file := os.Getenv(variable); file != "" {
		return file, true
	}
	return otherwise, false
}

// host is a temporary root: folders for programs and units, and a systemctl that records its calls.
type host struct {
	t                  *testing.T
	bin, units, called string
}

func newHost(t *testing.T) *host {
	t.Helper()
	root := t.TempDir()
	h := &host{t: t, bin: filepath.Join(root, "bin"), units: filepath.Join(root, "units"), called: filepath.Join(root, "called")}
	require.NoError(t, os.MkdirAll(h.bin, 0o755))
	require.NoError(t, os.MkdirAll(h.units, 0o755))
	h.write("k3s", "#!/bin/sh\n")
	h.write("systemctl", "#!/bin/sh\necho \"$@\" >>"+h.called+"\n")
	return h
}

func (h *host) write(name, content string) {
	h.t.Helper()
	require.NoError(h.t, os.WriteFile(filepath.Join(h.bin, name), []byte(content), 0o755))
}

// install pipes the script to sh, as users run K3s's script, and returns its output and error.
func (h *host) install(env []string, args ...string) (string, error) {
	h.t.Helper()
	stdin, err := os.Open(script)
	require.NoError(h.t, err)
	defer stdin.Close()
	cmd := exec.Command("sh", append([]string{"-s", "-"}, args...)...)
	cmd.Stdin = stdin
	cmd.Env = append([]string{
		"PATH=" + h.bin + ":/usr/bin:/bin", "INSTALL_K3S_BIN_DIR=" + h.bin, "INSTALL_K3S_SYSTEMD_DIR=" + h.units,
		"INSTALL_K3S_SKIP_DOWNLOAD=true", "INSTALL_K3S_SKIP_START=true",
	}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (h *host) unit(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.units, name))
	require.NoError(h.t, err)
	return string(data)
}

func (h *host) calls() string {
	h.t.Helper()
	data, err := os.ReadFile(h.called)
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(h.t, err)
	return string(data)
}

func TestServerUnitHasTheSettingsThatStrataReliesOn(t *testing.T) {
	h := newHost(t)
	out, err := h.install([]string{"INSTALL_K3S_EXEC=server"})
	require.NoError(t, err, out)
	unit := h.unit("k3s.service")
	for _, line := range []string{
		"Type=notify", "KillMode=process", "Delegate=yes", "TimeoutStartSec=0", "Restart=always", "RestartSec=5s",
		"ExecStartPre=-/sbin/modprobe br_netfilter", "ExecStartPre=-/sbin/modprobe overlay",
		"EnvironmentFile=-" + filepath.Join(h.units, "k3s.service.env"),
		"ExecStart=" + h.bin + `/k3s \`, "WantedBy=multi-user.target",
	} {
		assert.Contains(t, strings.Split(unit, "\n"), line)
	}
	assert.Contains(t, unit, "    server \\\n")
}

func TestInstallWithSkipStartEnablesServiceButDoesNotStartIt(t *testing.T) {
	h := newHost(t)
	_, err := h.install([]string{"INSTALL_K3S_EXEC=agent"})
	require.NoError(t, err)
	assert.Contains(t, h.calls(), "enable "+filepath.Join(h.units, "k3s-agent.service"))
	assert.NotContains(t, h.calls(), "start")
}

func TestInstallWithSkipEnableDisablesFormerUnitAndEnablesNone(t *testing.T) {
	h := newHost(t)
	_, err := h.install([]string{"INSTALL_K3S_SKIP_ENABLE=true"})
	require.NoError(t, err)
	assert.Equal(t, "disable k3s\n", h.calls())
}

func TestInstallRestartsServiceOnlyIfChangedOrForced(t *testing.T) {
	h := newHost(t)
	start := []string{"INSTALL_K3S_SKIP_START="}
	_, err := h.install(start)
	require.NoError(t, err)
	require.Contains(t, h.calls(), "restart k3s")

	require.NoError(t, os.Remove(h.called))
	out, err := h.install(start)
	require.NoError(t, err)
	assert.Contains(t, out, "No change detected so skipping service start")
	assert.NotContains(t, h.calls(), "restart")

	_, err = h.install(append(start, "INSTALL_K3S_FORCE_RESTART=true"))
	require.NoError(t, err)
	assert.Contains(t, h.calls(), "restart k3s")
}

func TestEnvironmentAndArgumentsSetUnitAndCommand(t *testing.T) {
	for _, c := range []struct {
		name, unit, want string
		env, args        []string
	}{
		{"default", "k3s.service", "    server \\\n", nil, nil},
		{"flags only", "k3s.service", "    server \\\n\t'--disable=traefik' \\\n", []string{"INSTALL_K3S_EXEC=--disable=traefik"}, nil},
		{"arguments", "k3s.service", "    server \\\n\t'--node-label' \\\n\t'a b' \\\n", nil, []string{"server", "--node-label", "a b"}},
		{"url means agent", "k3s-agent.service", "    agent \\\n", []string{"K3S_URL=https://x:6443", "K3S_TOKEN=t"}, nil},
		{"name", "k3s-two.service", "    server \\\n", []string{"INSTALL_K3S_NAME=two"}, nil},
	} {
		h := newHost(t)
		out, err := h.install(c.env, c.args...)
		require.NoError(t, err, c.name+out)
		assert.Contains(t, h.unit(c.unit), c.want, c.name)
	}
}

func TestInstallWritesVariablesToPrivateFile(t *testing.T) {
	h := newHost(t)
	out, err := h.install([]string{"K3S_TOKEN=se'cret", "HTTPS_PROXY=http://p:1", "OTHER=x", "INSTALL_K3S_EXEC=server"})
	require.NoError(t, err)
	file := filepath.Join(h.units, "k3s.service.env")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(data), "K3S_TOKEN=")
	assert.Contains(t, string(data), "HTTPS_PROXY='http://p:1'")
	assert.NotContains(t, string(data), "OTHER")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.NotContains(t, out, "cret", "the token is not shown")
	assert.NotContains(t, h.unit("k3s.service"), "cret")
}

func TestLinksDoNotReplaceOtherProgramsUnlessForced(t *testing.T) {
	h := newHost(t)
	h.write("crictl", "#!/bin/sh\n")
	out, err := h.install(nil)
	require.NoError(t, err)
	assert.Contains(t, out, "Skipping "+h.bin+"/crictl symlink to k3s, already exists")
	_, err = os.Readlink(filepath.Join(h.bin, "crictl"))
	assert.Error(t, err, "a program that is there stays")

	_, err = h.install([]string{"INSTALL_K3S_SYMLINK=force"})
	require.NoError(t, err)
	for _, tool := range []string{"kubectl", "crictl", "ctr"} {
		target, err := os.Readlink(filepath.Join(h.bin, tool))
		require.NoError(t, err)
		assert.Equal(t, "k3s", target)
	}
}

func TestInvalidSettingsStopTheInstall(t *testing.T) {
	for _, c := range []struct {
		name, want string
		env        []string
	}{
		{"no download", "cannot download", []string{"INSTALL_K3S_SKIP_DOWNLOAD="}},
		{"plain http", "Only https:// URLs are supported for K3S_URL", []string{"K3S_URL=http://x", "K3S_TOKEN=t"}},
		{"url without token", "K3S_TOKEN or K3S_TOKEN_FILE is not defined", []string{"K3S_URL=https://x"}},
		{"bad name", "Invalid characters for system name", []string{"INSTALL_K3S_NAME=a b"}},
	} {
		if c.name == "no download" && isOriginal {
			continue // upstream would download
		}
		h := newHost(t)
		out, err := h.install(c.env)
		assert.Error(t, err, c.name)
		assert.Contains(t, out, c.want, c.name)
		assert.NoFileExists(t, filepath.Join(h.units, "k3s.service"), c.name)
	}
	h := newHost(t)
	require.NoError(t, os.Remove(filepath.Join(h.bin, "k3s")))
	out, err := h.install(nil)
	require.Error(t, err)
	assert.Contains(t, out, "Executable k3s binary not found at "+h.bin+"/k3s")
}

func TestScriptsPassShellcheck(t *testing.T) {
	if isOriginal {
		t.Skip("what shellcheck says of an original is its owners' matter")
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	h := newHost(t)
	_, err := h.install([]string{"INSTALL_K3S_EXEC=agent"})
	require.NoError(t, err)
	for _, file := range []string{"../../install.sh", filepath.Join(h.bin, "k3s-killall.sh"), filepath.Join(h.bin, "k3s-agent-uninstall.sh")} {
		out, err := exec.Command("shellcheck", file).CombinedOutput()
		assert.NoError(t, err, "%s: %s", file, out)
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&0o111, file)
	}
}

func TestUninstallOfOneServiceKeepsTheBinaryForAnother(t *testing.T) {
	h := newHost(t)
	_, err := h.install([]string{"INSTALL_K3S_EXEC=agent"})
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(h.bin, "k3s-agent-uninstall.sh"))
	require.NoError(t, err)
	script := string(data)
	early, late, found := strings.Cut(script, "Additional k3s services installed, skipping uninstall of k3s")
	require.True(t, found)
	assert.Contains(t, early, "k3s-agent.service")
	removed := regexp.MustCompile(`(?m)rm -f ` + regexp.QuoteMeta(h.bin) + `/k3s( |$)`)
	assert.NotRegexp(t, removed, early)
	assert.Regexp(t, removed, late)
}
