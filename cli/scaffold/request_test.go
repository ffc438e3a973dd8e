package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/cli/scaffold/scaffoldtest"
	"strata/config"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

// request returns a request for stack "dev" in a project of the test's own.
func request(t *testing.T, hosts ...*scaffoldtest.Host) *Request {
	t.Helper()
	known, err := ReadKnownHosts(os.DevNull)
	require.NoError(t, err)
	r := &Request{Stack: "dev", Project: scaffoldtest.Project(t),
		SSH: config.SSH{KeyFile: scaffoldtest.Key(t, hosts...)}, Known: known, AcceptNew: true,
		Limit: 20 * time.Second}
	for _, one := range hosts {
		asked, err := ParseHost(one.Argument(), "root", 22)
		require.NoError(t, err)
		r.Hosts = append(r.Hosts, asked)
	}
	scaffoldtest.OnlySSH(t) // no state names the hosts' owner, because there is no pulumi
	return r
}

func TestInitWritesStackFileForThreeHosts(t *testing.T) {
	hosts := []*scaffoldtest.Host{scaffoldtest.New(t, 11), scaffoldtest.New(t, 12),
		scaffoldtest.New(t, 13)}
	hosts[0].Answers = "127.0.0.245"
	r := request(t, hosts...)
	require.NoError(t, r.Check())
	result, err := r.Run(t.Context())
	require.NoError(t, err)
	assert.Empty(t, result.Later)

	cfg, err := config.FromFile(filepath.Join(r.Project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.Equal(t, config.DriverExisting, cfg.Hosts.Driver)
	assert.Equal(t, "127.0.0.0/24", cfg.Hosts.Subnet.String())
	require.Len(t, cfg.Hosts.Nodes, 3)
	for i, node := range cfg.Hosts.Nodes {
		assert.Equal(t, hosts[i].Hostname, node.Name)
		assert.Equal(t, config.RoleServer, node.Role)
		assert.Equal(t, hosts[i].Address, node.Address.String())
		assert.Equal(t, hosts[i].Port, node.SSH.Port)
		assert.Equal(t, hosts[i].HostKey(), node.SSH.HostKey)
	}
	assert.Equal(t, []string{"127.0.0.234-127.0.0.244"}, cfg.MetalLB.Addresses, "245 answered")
	assert.Equal(t, config.K3sVersion, cfg.K3s.Version)

	info, err := os.Stat(result.File)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
	text, err := os.ReadFile(result.File)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "PRIVATE KEY")
	assert.Contains(t, string(text), "NOT VERIFIED")
	assert.Contains(t, string(text),
		"127.0.0.11 asked by ARP for 250 addresses of the network: 1 answered, and none of these.")

	var report bytes.Buffer
	require.NoError(t, errors.Join(result.Write(&report), result.WriteNext(&report, "")))
	assert.Contains(t, report.String(), result.Proposal.Nodes[0].Pin.Fingerprint)
	assert.Contains(t, report.String(), "compare each with")
	assert.Contains(t, report.String(),
		"Exclude 127.0.0.234-127.0.0.244 from what a DHCP server of 127.0.0.0/24 hands out")
	assert.Contains(t, report.String(), "pulumi up -s dev")
}

func TestHostWithCgroupV1IsRefusedUnlessAllowed(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	host.Health = map[string][]string{"cgroup": {"v1"}}
	r := request(t, host)
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	requireRefusal(t, err, "expected v2 for "+config.K3sVersion, "--k3s-version", "--allow-cgroup-v1")

	r.CgroupV1 = true
	require.NoError(t, r.Check())
	_, err = r.Run(t.Context())
	require.NoError(t, err)
	cfg, err := config.FromFile(filepath.Join(r.Project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	for _, role := range []config.Role{config.RoleServer, config.RoleAgent} {
		assert.True(t, cfg.K3s.AllowsCgroupV1(role), role)
	}
}

func TestProposalUsesRequestedK3sVersion(t *testing.T) {
	r := request(t, scaffoldtest.New(t, 11))
	r.K3s = "v1.34.2+k3s1"
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	require.NoError(t, err)
	cfg, err := config.FromFile(filepath.Join(r.Project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "v1.34.2+k3s1", cfg.K3s.Version)
	text, err := os.ReadFile(filepath.Join(r.Project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "that this Strata was made for")

	wrong := request(t, scaffoldtest.New(t, 12))
	wrong.K3s = "1.34"
	require.ErrorContains(t, wrong.Check(), "--k3s-version 1.34: is not of the form vX.Y.Z+k3sN")
	assert.NoFileExists(t, filepath.Join(wrong.Project, "Pulumi.dev.yaml"))
}

// If init logged in at once, an unverified host would get the sudo password before the user could
// compare the host's key.
func TestInitDoesNotLogInUntilNewHostKeysAreAccepted(t *testing.T) {
	hosts := []*scaffoldtest.Host{scaffoldtest.New(t, 15), scaffoldtest.New(t, 16)}
	r := request(t, hosts...)
	r.AcceptNew = false
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	var problems Problems
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems, 2)
	for i, host := range hosts {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(host.HostKey()))
		require.NoError(t, err)
		assert.Contains(t, problems[i].Error(), ssh.FingerprintSHA256(key))
		assert.Contains(t, problems[i].Error(), "--accept-new")
		assert.Empty(t, host.Commands())
	}
	assert.NoFileExists(t, filepath.Join(r.Project, "Pulumi.dev.yaml"))
}

func TestKnownHostIsNotReportedAsUnverified(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	r := request(t, host)
	r.Known = known(t, host, host.HostKey())
	require.NoError(t, r.Check())
	result, err := r.Run(t.Context())
	require.NoError(t, err)
	text, err := os.ReadFile(result.File)
	require.NoError(t, err)
	assert.Contains(t, string(text), "as in known_hosts")
	var report bytes.Buffer
	require.NoError(t, errors.Join(result.Write(&report), result.WriteNext(&report, "")))
	for _, said := range []string{string(text), report.String()} {
		assert.NotContains(t, strings.ToLower(said), "not verified")
	}
}

// Each kind of problem is on a host of its own, and one run reports all of them.
func TestInitReportsProblemsOfAllHostsAndWritesNothing(t *testing.T) {
	good := scaffoldtest.New(t, 11)
	locked := scaffoldtest.New(t, 12)
	asks := scaffoldtest.New(t, 13)
	small := scaffoldtest.New(t, 14)
	other := scaffoldtest.New(t, 15)
	asks.User, asks.Sudo = "ada", "echo sudo: a password is required >&2; exit 1"
	small.Arch = "armv7l"
	other.Facts = "kubernetes=kubeadm (/etc/kubernetes/kubelet.conf)\n"
	cloud := scaffoldtest.New(t, 17)
	cloud.Shell = []string{"/bin/sh", "-c", "echo Please login as the user debian; exit 142"}
	r := request(t, good, locked, asks, small, other, cloud)
	locked.AcceptKeyOf(sshtest.New(t))
	off := Asked{"root", "127.0.0.16", nettest.Closed(t).Number()}
	r.Hosts = append(r.Hosts, off, Asked{"root", "no-such-host.invalid", 22})
	r.Limit = 3 * time.Second
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	var problems Problems
	require.ErrorAs(t, err, &problems)
	for _, text := range []string{
		"127.0.0.12:", "private key not accepted", "ssh-copy-id -i ",
		"127.0.0.13:", "sudo without a password does not work for user ada", "NOPASSWD",
		"or log in as root",
		"127.0.0.14:", "is armv7l, and the artifacts are for amd64 and arm64 only; install a 64-bit system",
		"127.0.0.15:", "is or was a node of another cluster: kubeadm (/etc/kubernetes/kubelet.conf)",
		"127.0.0.16:", "connection refused", "check that the host is on",
		"127.0.0.17:", "Please login as the user debian; take away",
		"or log in as another user; --user, or USER@ before the address, names one",
		"no-such-host.invalid:22: has no IPv4 address", "name its IPv4 address",
	} {
		assert.Contains(t, err.Error(), text)
	}
	requireRefusal(t, err)
	assert.NotContains(t, err.Error(), "127.0.0.11:")
	assert.NoFileExists(t, r.file())
}

// The gates define the requirements on a host: a preflight of the proposal checks them.
func TestHostRefusedByPreflightIsReported(t *testing.T) {
	hosts := []*scaffoldtest.Host{scaffoldtest.New(t, 11), scaffoldtest.New(t, 12)}
	hosts[0].Health = map[string][]string{"whose": {"other strata production server-1 9f1c"},
		"k3s": {"k3s"}}
	hosts[1].Health = map[string][]string{"machine_id": {"host-11"}, "disk_mib": {"100"}}
	r := request(t, hosts...)
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	var problems Problems
	require.ErrorAs(t, err, &problems)
	for _, text := range []string{
		"host-11: earlier K3s: expected none, found k3s that Strata did not install",
		"host-11: owner: expected a free host or this cluster's, found node server-1 of stack production",
		"host-12: disk: expected 2048 MiB free for /var/lib/rancher, found 100 MiB",
		"all hosts: machine-ids: expected one of its own for each host: host-11, host-12 share",
	} {
		assert.Contains(t, err.Error(), text)
	}
	assert.NoFileExists(t, r.file())
}

// A problem that passes by itself, such as a running boot, does not prevent the stack file.
func TestHostNotReadyYetDoesNotBlockStackFile(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	host.Health = map[string][]string{"cloudinit": {"running"}}
	r := request(t, host)
	require.NoError(t, r.Check())
	result, err := r.Run(t.Context())
	require.NoError(t, err)
	require.FileExists(t, result.File)
	var report bytes.Buffer
	require.NoError(t, errors.Join(result.Write(&report), result.WriteNext(&report, "")))
	assert.Contains(t, report.String(), "Not ready yet, which may pass by itself:\n  host-11: cloud-init: running")
}

func TestPoolIsProbedByNextHostOrReportedAsNotProbed(t *testing.T) {
	first, second := scaffoldtest.New(t, 11), scaffoldtest.New(t, 12)
	first.Lacks = "ping or ip"
	second.Answers = "127.0.0.250"
	r := request(t, first, second)
	require.NoError(t, r.Check())
	result, err := r.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.12", result.Proposal.Pool.From, "the next host is asked")
	assert.Equal(t, "127.0.0.239-127.0.0.249", result.Proposal.Pool.Range.String())

	require.NoError(t, os.Remove(result.File))
	second.Lacks = "ping or ip"
	result, err = r.Run(t.Context())
	require.NoError(t, err)
	text, err := os.ReadFile(result.File)
	require.NoError(t, err)
	assert.Contains(t, string(text),
		"NOT ASKED whether they are free: 127.0.0.11 has no ping or ip; 127.0.0.12 has no ping or ip")
}

func TestInvalidRequestContactsNoHost(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	r := request(t, host)
	file := filepath.Join(r.Project, "Pulumi.dev.yaml")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	r.Hosts = append(r.Hosts, r.Hosts[0])
	require.NoError(t, os.Chmod(r.SSH.KeyFile, 0o644))
	err := r.Check()
	require.ErrorContains(t, err, file+" is there already, and is not overwritten")
	require.ErrorContains(t, err, "--host 127.0.0.11: is named twice")
	require.ErrorContains(t, err, "--key: "+r.SSH.KeyFile+" is readable by others")
	assert.Zero(t, host.Connections())

	r.Stack, r.Hosts, r.Project = "org/dev", nil, t.TempDir()
	err = r.Check()
	require.ErrorContains(t, err, `stack "org/dev": use at most 100 letters`)
	require.ErrorContains(t, err, "no host is named")
	require.ErrorContains(t, err, "run it in the project's folder")
}

// Another process may create the file between Check and the end of Run, which takes minutes.
func TestConcurrentlyCreatedStackFileIsNotOverwritten(t *testing.T) {
	r := request(t, scaffoldtest.New(t, 11))
	require.NoError(t, r.Check())
	require.NoError(t, os.WriteFile(r.file(), []byte("mine"), 0o600))
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "is there already, and is not overwritten")
	text, err := os.ReadFile(r.file())
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

// The user names one host by its name and by its address. Only the name's resolution shows that
// both are the same host.
func TestHostWithTwoNamesIsRefused(t *testing.T) {
	host := scaffoldtest.New(t, 1)
	r := request(t, scaffoldtest.New(t, 11), host)
	again := r.Hosts[1]
	again.Address = "localhost"
	r.Hosts = append(r.Hosts, again)
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	var problems Problems
	require.ErrorAs(t, err, &problems)
	assert.EqualError(t, err,
		fmt.Sprintf(
			"localhost:%d: is the host that is also named as 127.0.0.1:%d: it has the address "+
				"127.0.0.1; name it once", host.Port, host.Port))
	assert.NoFileExists(t, filepath.Join(r.Project, "Pulumi.dev.yaml"))
}
