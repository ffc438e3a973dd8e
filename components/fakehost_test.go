package components

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
)

// ownCluster is the owner of the fake host, without the node's name, which is "here".
var ownCluster = k3shost.Owner{Cluster: "00ff", TokenSHA256: sumOfText("secret"), Project: "strata",
	Stack: "dev"}

// fakeHost is a folder that stands for a host's root, with stand-ins on PATH for the host's
// programs. The scripts run unchanged, except that the folder is put before their absolute paths.
type fakeHost struct {
	t    *testing.T
	root string
	// settings are the labels and taints that the stack sets on the host's Node.
	settings apiserver.NodeSettings
}

// binary is the content of /var/lib/strata/k3s, which a push has copied to the host.
const binary = "the k3s binary\n"

func newFakeHost(t *testing.T) *fakeHost {
	t.Helper()
	h := &fakeHost{t: t, root: t.TempDir()}
	h.write("var/lib/strata/k3s", binary)
	require.NoError(t, os.MkdirAll(h.path("usr/local/bin"), 0o755))
	require.NoError(t, os.MkdirAll(h.path("run"), 0o755))
	h.write("proc/self/mounts", "tmpfs /run tmpfs rw 0 0\n")
	require.NoError(t, os.MkdirAll(h.path("etc/modules-load.d"), 0o755)) // every host with systemd has it
	h.tool("systemctl", `echo "$*" >> ROOT/systemctl.log
for unit; do :; done
unit=${unit%.service}
case "$1" in
is-active) [ -e "ROOT/active/$unit" ] ;;
is-enabled)
	state=disabled
	for is in enabled masked; do if [ -e "ROOT/$is/$unit" ]; then state=$is; fi; done
	if [ "$2" != --quiet ]; then echo $state; fi
	[ $state = enabled ] ;;
enable) [ ! -e "ROOT/masked/$unit" ] && mkdir -p ROOT/enabled && : > "ROOT/enabled/$unit" ;;
unmask) rm -f "ROOT/masked/$unit" ;;
restart) mkdir -p ROOT/active; : > "ROOT/active/$unit" ;;
disable) rm -f "ROOT/active/$unit" "ROOT/enabled/$unit" ;;
daemon-reload) rm -f ROOT/unread ;;
show)
	unit=${2%.service}
	value=
	case "$4" in
	ActiveState) value=inactive; if [ -e "ROOT/active/$unit" ]; then value=active; fi ;;
	ExecMainStartTimestamp) value=$(date -u -r "ROOT/active/$unit" '+%a %F %T UTC') ;;
	NeedDaemonReload) value=no; if [ -e ROOT/unread ]; then value=yes; fi ;;
	esac
	echo "$4=$value" ;;
list-unit-files) cat ROOT/units 2>/dev/null || : ;;
esac`)
	h.tool("modprobe", `mkdir -p "/sys/module/$1"`)
	// Only addresses that have a file in answers/ listen. No program on PATH can replace bash's
	// /dev/tcp, but the scripts connect through timeout, which this stand-in replaces.
	h.tool("timeout", `for last; do :; done
[ "$2 $3 $4" = 'bash -c : < "/dev/tcp/$0/6443"' ] && [ -e "ROOT/answers/$last" ]`)
	h.tool("curl", "exit 127") // the scripts must not need curl, which some hosts lack
	h.tool("modinfo", `cat "ROOT/modules/$3" 2>/dev/null || echo "(builtin)"`)
	for _, tool := range []string{"ip", "iptables-save", "ip6tables-save"} {
		h.tool(tool, `cat "ROOT/says/`+tool+`" 2>/dev/null || :`)
	}
	h.tool("ipset", `case "$1" in
list) cat ROOT/says/ipset 2>/dev/null || : ;;
destroy) [ ! -e ROOT/inuse ] && sed -i "/^$2\$/d" ROOT/says/ipset ;;
esac`)
	// The stand-in writes the unit as K3s's own install script does, and records its environment.
	h.write("var/lib/strata/k3s-install.sh", h.rooted(`env | sort > ROOT/installer.env
unit=k3s; [ "$INSTALL_K3S_EXEC" = server ] || unit=k3s-agent
mkdir -p /etc/systemd/system
rm -f /etc/systemd/system/$unit.service
echo "[Service] $INSTALL_K3S_EXEC" > /etc/systemd/system/$unit.service
(umask 077 && : > /etc/systemd/system/$unit.service.env)
rm -f ROOT/masked/$unit ROOT/unread
mkdir -p ROOT/enabled
: > ROOT/enabled/$unit
`))
	return h
}

// path returns the path on this machine of a file of the fake host.
func (h *fakeHost) path(path string) string { return filepath.Join(h.root, path) }

func (h *fakeHost) write(path, content string) {
	h.t.Helper()
	require.NoError(h.t, os.MkdirAll(filepath.Dir(h.path(path)), 0o755))
	require.NoError(h.t, os.WriteFile(h.path(path), []byte(content), 0o600))
}

// read returns a file's content; empty if the file does not exist.
func (h *fakeHost) read(path string) string {
	content, err := os.ReadFile(h.path(path))
	if !os.IsNotExist(err) {
		require.NoError(h.t, err)
	}
	return string(content)
}

func (h *fakeHost) exists(path string) bool {
	_, err := os.Lstat(h.path(path))
	return err == nil
}

// tool puts a stand-in on the host's PATH.
func (h *fakeHost) tool(name, script string) {
	executable(h.t, h.path("bin/"+name), "#!/bin/sh\n"+h.rooted(script)+"\n")
}

// rooted puts the fake root before the absolute paths of a text.
func (h *fakeHost) rooted(text string) string {
	return strings.NewReplacer(
		"ROOT", h.root, "/etc/", h.root+"/etc/", "/var/lib/", h.root+"/var/lib/", "/usr/local/bin/",
		h.root+"/usr/local/bin/",
		"/var/log/", h.root+"/var/log/", "/sys/fs/cgroup", h.root+"/sys/fs/cgroup",
		"/sys/module/", h.root+"/sys/module/", "/proc/sys/", h.root+"/proc/sys/",
		"/run/", h.root+"/run/", "/proc/self/", h.root+"/proc/self/", "/proc/net/unix",
		h.root+"/proc/net/unix", "/proc/[", h.root+"/proc/[",
	).Replace(text)
}

// run runs a script on the host as a remote command does.
func (h *fakeHost) run(script, stdin string, variables ...variable) (output string, code int) {
	h.t.Helper()
	require.NoError(h.t, os.RemoveAll(h.path("systemctl.log")))
	variables = append(ownerVariables(ownCluster, "here"), variables...) // the last value of a name wins
	return shell(h.t, h.rooted(hostrun.Bash(hostScript(script, variables...))), stdin,
		"PATH="+h.path("bin")+":"+os.Getenv("PATH"))
}

// install runs the install script. more overrides the script's variables.
func (h *fakeHost) install(role, founds, peers string, more ...variable) (output string, code int) {
	h.t.Helper()
	sum := sha256.Sum256([]byte(h.read("var/lib/strata/k3s")))
	variables := []variable{{"ROLE", role}, {"FOUNDS", founds}, {"PEERS", peers},
		{"BINARY_SHA256", hex.EncodeToString(sum[:])}, configSum(configText), {"PATIENCE", "0"}}
	return h.run("k3s-install.sh", configText, append(variables, more...)...)
}

// configText is the config.yaml that install passes to the script.
const configText = "token: secret\nnode-name: here\n"

// configSum returns the variable with the SHA-256 sum of the config.yaml on the script's stdin.
func configSum(text string) variable { return variable{"CONFIG_SHA256", sumOfText(text)} }

func sumOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// restarted reports whether the last run restarted a unit.
func (h *fakeHost) restarted(unit string) bool {
	return strings.Contains(h.read("systemctl.log"), "restart --no-block "+unit+"\n")
}
