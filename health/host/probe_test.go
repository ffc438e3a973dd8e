package host

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/health/healthtest"
	"strata/internal/k3shost"
)

func TestProbeScriptsPassShellcheck(t *testing.T) {
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	scripts, err := filepath.Glob("probe/*.sh")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	out, err := exec.Command(checker, append([]string{"--shell=sh"},
		scripts...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// runProbe runs a probe on this machine and returns its blocks.
func runProbe(t *testing.T, script string, settings map[string]string) []Block {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh")
	command.Stdin = strings.NewReader(WithSettings(script, settings))
	out, err := command.Output()
	require.NoError(t, err)
	var all []Block
	lines := Blocks{Take: func(b Block) { all = append(all, b) }}
	for line := range strings.Lines(string(out)) {
		lines.Line(strings.TrimSuffix(line, "\n"))
	}
	return all
}

func TestHostProbeReportsSystemModulesAndPorts(t *testing.T) {
	listener := healthtest.Listen(t)
	settings := ownerSettings(Spec{})
	maps.Copy(settings, map[string]string{"modules": "no_such_module", "ports": listener + " 1",
		"programs": "sh no-such-program", "once": "yes", "fixed": ""})
	blocks := runProbe(t, hostScript, settings)
	require.Len(t, blocks, 1)
	seen := blocks[0]
	for _, key := range []string{"os", "arch", "kernel", "uid", "hostname", "cloudinit", "disk_at", "time"} {
		assert.NotEmptyf(t, seen.Get(key), "%s in %v", key, seen)
	}
	assert.Positive(t, seen.number("memory_mib"))
	assert.Positive(t, seen.number("disk_mib"))
	assert.Positive(t, seen.number("time"))
	assert.Equal(t, []string{"no_such_module missing"}, seen["module"])
	require.Len(t, seen["port"], 2)
	assert.Contains(t, seen["port"][0], listener+" held ")
	assert.Contains(t, seen["port"][0], "host.test", "it names the program that listens")
	assert.Equal(t, "1 free", seen["port"][1])
}

func TestHostProbePrintsZonesOnlyIfFirewalldRuns(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ask := func(state string) Block {
		text := "#!/bin/sh\ncase $1 in --state) exit " + state +
			" ;; --get-default-zone) echo public ;; *) printf 'public (active)\\n  target: default\\n' ;; esac\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "firewall-cmd"), []byte(text), 0o700))
		blocks := runProbe(t, firewallScript+"firewall\necho at=end; echo end\n", nil)
		require.Len(t, blocks, 1)
		return blocks[0]
	}
	running := ask("0")
	assert.Equal(t, []string{"public"}, running["firewalld_default"])
	assert.Equal(t, []string{"public (active)", "  target: default"}, running["firewalld"])
	assert.Empty(t, ask("252")["firewalld"], "it is installed and does not run")
}

func TestHostProbeReportsOwnerAndFixedK3sSettings(t *testing.T) {
	folder := t.TempDir()
	for path, text := range map[string]string{
		"etc/rancher/k3s/config.yaml": "cluster-cidr: 10.42.0.0/16\ndisable:\n- " +
			"traefik\n- servicelb\netcd-s3-secret-key: hidden\nkubelet-arg:\n- a=b\nnode-name: " +
			"agent-1\nservice-cidr+: 10.43.0.0/16\ntoken: secret\n",
		"var/lib/rancher/k3s/server/db/etcd/data": "",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, path), []byte(text), 0o600))
	}
	script := strings.NewReplacer("/etc/rancher", folder+"/etc/rancher", "/var/lib/rancher",
		folder+"/var/lib/rancher").Replace(hostScript)
	sum := sha256.Sum256([]byte("secret"))
	settings := ownerSettings(Spec{Owner: &k3shost.Owner{Cluster: "00ff",
		TokenSHA256: hex.EncodeToString(sum[:]), Node: "server-1"}})
	maps.Copy(settings, map[string]string{"modules": "", "ports": "", "programs": "", "once": "yes",
		"fixed": strings.Join(config.FixedKeys(), " ")})
	seen := runProbe(t, script, settings)[0]
	assert.Equal(t, "node agent-1", seen.Get("whose"))
	assert.Equal(t, []string{"cluster-cidr: 10.42.0.0/16", "disable:", "- traefik", "- servicelb",
		"service-cidr+: 10.43.0.0/16"}, seen["k3s_config"])
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "var/lib/rancher/k3s/server/db")))
	seen = runProbe(t, script, settings)[0]
	assert.Empty(t, seen["k3s_config"], "an install that was killed before K3s ran fixes nothing")
}

// running starts a probe that runs until the test ends, and returns a channel with its blocks.
func running(t *testing.T, script string, settings map[string]string) <-chan Block {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh")
	shell.Stdin = strings.NewReader(WithSettings(script, settings))
	// The probe's process group is killed when the test ends, as a host's probe ends with its SSH
	// session.
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	out, err := shell.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, shell.Start())
	blocks := make(chan Block, 1000)
	go func() {
		lines := Blocks{Take: func(b Block) { blocks <- b }}
		for text := bufio.NewScanner(out); text.Scan(); {
			lines.Line(text.Text())
		}
	}()
	return blocks
}

// until waits for a block in which key has the value, for at most 10 seconds.
func until(t *testing.T, blocks <-chan Block, key, value string) Block {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		select {
		case block := <-blocks:
			if block.Get(key) == value {
				return block
			}
		case <-late:
			require.FailNowf(t, "not seen", "%s=%s", key, value)
		}
	}
}

func TestConnectProbeReportsRefusedPortAndRecovery(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	blocks := running(t, connectScript, map[string]string{"address": "127.0.0.1",
		"ports": healthtest.Listen(t) + " " + port})
	until(t, blocks, "code", "0")
	require.NoError(t, listener.Close())
	assert.Contains(t, until(t, blocks, "code", "1")["output"][0], "Connection refused",
		"one of two ports is not enough")
	listener, err = net.Listen("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	until(t, blocks, "code", "0")
}

func TestConnectProbeReportsAnswerAfterTimeouts(t *testing.T) {
	port, serve := silent(t)
	blocks := running(t, connectScript, map[string]string{"address": "127.0.0.1", "ports": port})
	until(t, blocks, "code", "124")
	until(t, blocks, "code", "124") // now the greatest number of attempts runs in parallel
	serve()
	until(t, blocks, "code", "0")
}

// silent returns a loopback port whose accept queue is full. A client that connects gets no answer
// until serve is called.
func silent(t *testing.T) (port string, serve func()) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = syscall.Shutdown(socket, syscall.SHUT_RDWR), syscall.Close(socket) })
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, syscall.Listen(socket, 0))
	name, err := syscall.Getsockname(socket)
	require.NoError(t, err)
	port = strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
	waiting, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	t.Cleanup(func() { _ = waiting.Close() })
	return port, func() {
		go func() {
			for { // until the socket is shut down
				connection, _, err := syscall.Accept(socket)
				if err != nil {
					return
				}
				_ = syscall.Close(connection)
			}
		}()
	}
}

// fakeSystem puts stand-ins for the unit probe's programs into PATH and returns their folder.
// systemctl prints the text of the file state. Each line that a test appends to the file bus
// arrives as a D-Bus signal. curl fails if it would use a proxy.
func fakeSystem(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"systemctl": "printf 'InvocationID=1\\nActiveState=%s\\nSubState=%s\\n' $(cat " + dir +
			"/state)",
		"journalctl": "case \"$*\" in *--follow*) sleep 60 ;; *) cat " + dir +
			"/log 2>/dev/null ;; esac",
		"curl": "case \" $* \" in *\" --noproxy * \"*) ;; *) [ -z " +
			"\"${http_proxy-}${https_proxy-}\" ] || exit 7 ;; esac; for last; do :; done; echo " +
			"\"$last\" >" + dir + "/curled; printf 401",
		"modinfo": "false",
		"busctl":  "echo \"$*\" >" + dir + "/asked; exec tail -n +1 -f -s 0.01 " + dir + "/bus",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name),
			[]byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bus"), nil, 0o600))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

func TestUnitProbeReportsStateChangeFromDBus(t *testing.T) {
	dir := fakeSystem(t)
	state := func(text string) {
		require.NoError(t,
			os.WriteFile(filepath.Join(dir, "state"), []byte(text), 0o600))
	}
	signal := func(text string) {
		bus, err := os.OpenFile(filepath.Join(dir, "bus"), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = bus.WriteString(`{"type":"signal","payload":{"data":["org.freedesktop.systemd1.Unit",{"ActiveState":{"type":"s","data":"` + text + `"}},[]]}}` + "\n")
		require.NoError(t, err)
		require.NoError(t, bus.Close())
	}
	state("inactive dead")
	blocks := running(t, strings.ReplaceAll(unitScript, "sleep 1\n", "sleep 60\n"),
		map[string]string{"unit": "k3s-agent", "routes": ""})
	until(t, blocks, "ActiveState", "inactive")
	state("activating start")
	signal("activating")
	assert.Never(t, func() bool { return len(blocks) > 0 }, time.Second, 10*time.Millisecond,
		"a step of the start causes no observation of its own")
	state("active running")
	signal("active")
	until(t, blocks, "ActiveState", "active")
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	assert.Contains(t, string(asked), "path='/org/freedesktop/systemd1/unit/k3s_2dagent_2eservice'")
}

// K3s logs a refusal at level info. At this level, the probe prints only lines about joining and
// images. It sends a request to the join server only after a refusal.
func TestUnitProbeQueriesJoinServerOnlyAfterRefusal(t *testing.T) {
	dir := fakeSystem(t)
	t.Setenv("https_proxy", "http://proxy.example.org:3128") // as set in /etc/environment
	join := filepath.Join(dir, "join.yaml")
	script := strings.ReplaceAll(unitScript,
		"/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml", join)
	require.NotEqual(t, unitScript, script)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("join.yaml", "server: https://10.10.0.11:6443\n")
	write("state", "activating start")
	write("log", `time="1" level=info msg="Starting k3s agent v1.34.2+k3s1"
time="2" level=info msg="Importing images from /images/a.tar"
I1122 15:00:00.000000 1 server.go:1] "Started"
modprobe: FATAL: Module overlay not found
`)
	blocks := running(t, script, map[string]string{"unit": "k3s-agent", "routes": ""})
	block := until(t, blocks, "ActiveState", "activating")
	assert.Equal(t, []string{`time="2" level=info msg="Importing images from /images/a.tar"`},
		block["log"])
	assert.Empty(t, block["join"])
	assert.NoFileExists(t, filepath.Join(dir, "curled"))
	write("log", refusal(7)+"\n")
	block = until(t, blocks, "join", "401")
	assert.Equal(t, []string{refusal(7)}, block["log"])
	asked, err := os.ReadFile(filepath.Join(dir, "curled"))
	require.NoError(t, err)
	assert.Equal(t, "https://10.10.0.11:6443/readyz\n", string(asked))
}

// K3s logs the keys that it skips once, at its start. Keys of an earlier start must not be
// reported.
func TestUnitProbeReportsKeysSkippedAtCurrentStart(t *testing.T) {
	dir := fakeSystem(t)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("log", `time="1" level=warning msg="Unknown flag --audit-log-maxage found in config.yaml, skipping\n"`+"\n")
	write("state", "active running")
	blocks := running(t, unitScript, map[string]string{"unit": "k3s", "routes": ""})
	until(t, blocks, "skipped", "audit-log-maxage")
	systemctl, err := os.ReadFile(filepath.Join(dir, "systemctl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "systemctl"),
		[]byte(strings.ReplaceAll(string(systemctl), "ID=1", "ID=2")), 0o700))
	write("log", "")
	write("state", "activating start")
	assert.Empty(t, until(t, blocks, "ActiveState", "activating")["skipped"])
	write("state", "active running")
	block := until(t, blocks, "ActiveState", "active")
	assert.Empty(t, block["skipped"])
	assert.Equal(t, "2", block.Get("InvocationID"))
}

// The probe asks etcd at the loopback address. If a proxy is set, curl would use it for this
// address too.
func TestUnitProbeReportsEtcdAlarmDespiteProxy(t *testing.T) {
	dir := fakeSystem(t)
	t.Setenv("http_proxy", "http://proxy.example.org:3128")
	curl, err := os.ReadFile(filepath.Join(dir, "curl"))
	require.NoError(t, err)
	said := strings.ReplaceAll(string(curl), "printf 401",
		`printf '{"health":"false","reason":"ALARM NOSPACE"}'`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "curl"), []byte(said), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state"), []byte("active running"), 0o600))
	blocks := running(t, unitScript, map[string]string{"unit": "k3s", "routes": ""})
	until(t, blocks, "alarm", "NOSPACE")
}

// The test reads a copy of /proc/sys, because the values of the machine itself are unknown.
func TestUnitProbeReportsForwardingSysctlsSetToZero(t *testing.T) {
	dir := fakeSystem(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys/net/ipv4/conf/all"), 0o755))
	forward := filepath.Join(dir, "sys/net/ipv4/ip_forward")
	require.NoError(t, os.WriteFile(forward, []byte("1\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state"), []byte("active running"), 0o600))
	script := strings.ReplaceAll(unitScript, "/proc/sys/", dir+"/sys/")
	require.NotEqual(t, unitScript, script)
	blocks := running(t, script, map[string]string{"unit": "k3s-agent", "routes": ""})
	assert.Empty(t, until(t, blocks, "ActiveState", "active")["undone"])
	require.NoError(t, os.WriteFile(forward, []byte("0\n"), 0o600))
	until(t, blocks, "undone", "net/ipv4/ip_forward")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sys/net/ipv4/conf/all/forwarding"),
		[]byte("0\n"), 0o600))
	require.NoError(t, os.WriteFile(forward, []byte("1\n"), 0o600))
	until(t, blocks, "undone", "net/ipv4/conf/all/forwarding")
}

func TestProbeSettingsAreShellQuoted(t *testing.T) {
	blocks := runProbe(t, `printf 'seen=%s\nend\n' "$text"`,
		map[string]string{"text": "a'; echo broken; '$(id)"})
	require.Len(t, blocks, 1)
	assert.Equal(t, "a'; echo broken; '$(id)", blocks[0].Get("seen"))
}
