package scaffold

import (
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFactsScriptPassesShellcheck(t *testing.T) {
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	out, err := exec.Command(checker, "--shell=sh", "facts.sh").CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestFactsScriptReportsLocalMachine(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("ip is not installed (apt-get install iproute2)")
	}
	command := exec.Command("sh")
	command.Stdin = strings.NewReader(factsScript)
	out, err := command.Output()
	require.NoError(t, err)
	facts, err := parseFacts(string(out))
	require.NoError(t, err)
	hostname, err := os.Hostname()
	require.NoError(t, err)
	assert.Equal(t, hostname, facts.Hostname)
	assert.NotEmpty(t, facts.OS)
	assert.NotEmpty(t, facts.Arch)
	assert.Positive(t, facts.CPUs)
	assert.Positive(t, facts.MemoryMiB)
	assert.Positive(t, facts.DiskMiB)
	assert.Contains(t, facts.Interfaces, Interface{"lo", netip.MustParsePrefix("127.0.0.1/8")})
	for _, route := range facts.Routes {
		assert.NotEqual(t, "lo", route.Device, "an address of its own is no network that it routes")
	}
}

func TestHostWithoutIPProgramIsReported(t *testing.T) {
	command := exec.Command("/bin/sh")
	command.Stdin, command.Env = strings.NewReader(factsScript), []string{"PATH=/nowhere"}
	out, err := command.Output()
	require.NoError(t, err)
	_, err = parseFacts(string(out))
	require.ErrorContains(t, err, "has no program ip; install the package iproute2")
}

// These are outputs of iproute2 6.1 on a Debian 12 host. It has a bridge of Docker, and a VPN in a
// routing table of its own.
const (
	ipAddress = `[{"ifindex":1,"ifname":"lo","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,"scope":"host"}]},{},` +
		`{"ifindex":2,"ifname":"eth0","flags":["UP"],"addr_info":[{"family":"inet","local":"10.10.0.11","prefixlen":24,"broadcast":"10.10.0.255","scope":"global"}]},` +
		`{"ifname":"docker0","addr_info":[{"local":"172.17.0.1","prefixlen":16}]}]`
	ipRoute = `[{"dst":"default","gateway":"10.10.0.1","dev":"eth0","protocol":"dhcp","metric":100,"flags":[]},{"dst":"10.10.0.0/24","dev":"eth0","flags":[]},` +
		`{"type":"local","dst":"10.10.0.11","dev":"eth0","table":"local","flags":[]},{"dst":"100.101.1.2","dev":"tailscale0","table":"52","flags":[]},` +
		`{"type":"blackhole","dst":"10.99.0.0/16","flags":[]},{"dst":"10.98.0.0/16","nexthops":[{"gateway":"10.10.0.2","dev":"eth0"}],"flags":[]}]`
	ipNeigh = `[{"dst":"10.10.0.1","dev":"eth0","lladdr":"02:fc:00:00:00:05","state":["STALE"]},{"dst":"10.10.0.77","dev":"eth0","state":["FAILED"]}]`
)

func TestParseFactsReadsIPCommandOutput(t *testing.T) {
	facts, err := parseFacts(
		"os=Debian\narch=x86_64\ncpus=4\nmemory_mib=3900\ndisk_mib=x\nkubernetes=k0s (/var/lib/k0s)\naddresses=" +
			ipAddress + "\nroutes=" + ipRoute + "\nneighbours=" + ipNeigh + "\nend\n")
	require.NoError(t, err)
	assert.Equal(t, Facts{
		OS: "Debian", Arch: "x86_64", CPUs: 4, MemoryMiB: 3900,
		Kubernetes: []string{"k0s (/var/lib/k0s)"},
		Interfaces: []Interface{{"lo", netip.MustParsePrefix("127.0.0.1/8")},
			{"eth0", netip.MustParsePrefix("10.10.0.11/24")},
			{"docker0", netip.MustParsePrefix("172.17.0.1/16")}},
		Routes: []Route{
			{To: everywhere, Gateway: netip.MustParseAddr("10.10.0.1"), Device: "eth0"},
			{To: netip.MustParsePrefix("10.10.0.0/24"), Device: "eth0"},
			{To: netip.MustParsePrefix("100.101.1.2/32"), Device: "tailscale0", Table: "52"},
			{To: netip.MustParsePrefix("10.99.0.0/16")},
			{To: netip.MustParsePrefix("10.98.0.0/16"), Gateway: netip.MustParseAddr("10.10.0.2"),
				Device: "eth0"},
		},
		Neighbours: []netip.Addr{netip.MustParseAddr("10.10.0.1")},
	}, facts)
}

func TestParseFactsRejectsIncompleteOutput(t *testing.T) {
	_, err := parseFacts("os=Debian\n")
	require.ErrorContains(t, err, "did not arrive whole")
	_, err = parseFacts("os=Debian\naddresses=Object \"-j\" is unknown\nroutes=[]\nneighbours=[]\nend\n")
	require.ErrorContains(t, err, "no answer in JSON: addresses")
	_, err = parseFacts("os=Debian\naddresses=[]\nroutes=[{\"dst\":\"10.0.0.0/99\"}]\nneighbours=[]\nend\n")
	require.ErrorContains(t, err, "routes")
}
