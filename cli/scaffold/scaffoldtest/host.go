// Package scaffoldtest provides hosts that belong to no stack, as real SSH servers in the test
// process. Only tests import it.
package scaffoldtest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
	"strata/internal/ssh/remote/sshtest"
)

// Host is one host. Each has its own loopback address in 127.0.0.0/24. Tests may change its fields
// before the first connection.
type Host struct {
	*sshtest.Server
	Address, Hostname string
	Port              int
	// Arch is the output of uname -m.
	Arch string
	// MemoryMiB is its total memory.
	MemoryMiB int
	// Facts are additional lines in the output of facts.sh. Health are lines that replace those of
	// its gate's probe.
	Facts  string
	Health map[string][]string
	// Answers is an address in use by another machine on the host's network. Lacks is a program for
	// the probe that the host does not have.
	Answers, Lacks string
}

// New starts a host at 127.0.0.LAST.
func New(t *testing.T, last int) *Host {
	t.Helper()
	h := &Host{
		Server: sshtest.New(t), Address: fmt.Sprintf("127.0.0.%d", last),
		Hostname: fmt.Sprintf("host-%d", last), Arch: "x86_64", MemoryMiB: 3900,
	}
	listener, err := net.Listen("tcp", h.Address+":0")
	require.NoError(t, err)
	h.Port = listener.Addr().(*net.TCPAddr).Port
	h.Handler = h.answer
	h.Serve(t, listener)
	return h
}

// Argument returns the host as an argument of --host.
func (h *Host) Argument() string { return fmt.Sprintf("%s@%s:%d", h.User, h.Address, h.Port) }

// answer answers the scripts that run on a host: facts.sh, the probe of addresses, and the probe of
// its gate.
func (h *Host) answer(call sshtest.Call) int {
	switch {
	case strings.Contains(call.Script, "ip -j -4 address show"):
		_, _ = fmt.Fprintf(call.Stdout,
			"os=Debian GNU/Linux 12 (bookworm)\nuid=0\narch=%s\ncpus=4\nhostname=%s\nmemory_mib=%d\ndisk_mib=30000\n"+
				`addresses=[{"ifname":"eth0","addr_info":[{"local":"%s","prefixlen":24}]}]`+"\n"+
				`routes=[{"dst":"default","gateway":"127.0.0.1","dev":"eth0"},{"dst":"127.0.0.0/24","dev":"eth0"}]`+
				"\nneighbours=[]\n%send\n",
			h.Arch, h.Hostname, h.MemoryMiB, h.Address, h.Facts)
		return 0
	case strings.Contains(call.Script, "answers="):
		healthtest.WriteBlock(call.Stdout, h.heard(call.Script))
		return 0
	}
	block := map[string][]string{
		"hostname": {h.Hostname}, "machine_id": {h.Hostname},
		"memory_mib": {fmt.Sprint(h.MemoryMiB)}, "arch": {h.Arch},
		"port": {"2379 free", "2380 free", "6443 free", "10250 free"},
	}
	for key, lines := range h.Health {
		block[key] = lines
	}
	return healthtest.Probing(healthtest.HealthyNow(block))(call)
}

// heard returns the output of a script that probes addresses.
func (h *Host) heard(script string) map[string][]string {
	if h.Lacks != "" {
		return map[string][]string{"lacks": {h.Lacks}}
	}
	heard := map[string][]string{"ours": {"02:00:00:00:00:01"}}
	for _, line := range strings.Split(script, "\n") {
		if list, ok := strings.CutPrefix(line, "addresses="); ok &&
			slices.Contains(strings.Fields(strings.Trim(list, "'")), h.Answers) {
			heard["answers"] = []string{h.Answers + " 02:00:00:00:00:99"}
		}
	}
	return heard
}

// Key makes every host accept the first host's private key, and returns the key's file.
func Key(t *testing.T, hosts ...*Host) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, hosts[0].PrivateKey(), 0o600))
	for _, one := range hosts[1:] {
		one.AcceptKeyOf(hosts[0].Server)
	}
	return path
}

// Project returns a folder with a project file, and no stack.
func Project(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Pulumi.yaml"),
		[]byte("name: strata\nruntime: go\n"), 0o600))
	return folder
}
