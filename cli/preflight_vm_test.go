package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/inventory"
	"strata/config"
	"strata/internal/hypervisor"
	"strata/internal/ssh/remote/sshtest"
)

// qcow2 is the header of an image with a disk of 2 GiB.
const qcow2 = "QFI\xfb\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00"

// network is a stand-in of the commands that show a hypervisor's neighbours: br0 is its bridge, and
// only 10.10.0.66 answers.
const network = `#!/bin/sh
case "$*" in
'-o link show type bridge') echo '3: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500' ;;
'-o route get '*) echo "$4 dev br0 src 10.10.0.1 uid 0" ;;
'neigh show to 10.10.0.66') echo '10.10.0.66 dev br0 lladdr 00:11:22:33:44:55 REACHABLE' ;;
'neigh show to '*) ;;
*) exit 2 ;;
esac
`

// hypervisorStack is a project whose machines run on a stand-in of a hypervisor. dir is the folder
// with the stand-in's state.
type hypervisorStack struct {
	t            *testing.T
	project, dir string
	// cluster is the cluster identity that up writes to the machines. If it is empty, up writes
	// none, as older programs did.
	cluster string
}

func newHypervisorStack(t *testing.T) *hypervisorStack {
	t.Helper()
	h := &hypervisorStack{t: t, project: t.TempDir(), dir: t.TempDir()}
	bin := t.TempDir()
	for name, content := range map[string]string{"ip": network, "ping": "#!/bin/sh\n", "arping": "#!/bin/sh\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(content), 0o700))
	}
	stand, err := filepath.Abs("../actions/machines/lifecycle/testdata")
	require.NoError(t, err)
	t.Setenv("PATH", bin+":"+stand+":"+os.Getenv("PATH"))
	t.Setenv("VIRSH", h.dir)
	return h
}

// write writes a file of the stand-in.
func (h *hypervisorStack) write(name, content string) {
	h.t.Helper()
	require.NoError(h.t, os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o755))
	require.NoError(h.t, os.WriteFile(filepath.Join(h.dir, name), []byte(content), 0o600))
}

// configure writes the stack file. hosts has the keys of strata:hosts that depend on the driver,
// and second is the address of agent-1.
func (h *hypervisorStack) configure(hosts, second string) *config.Config {
	h.t.Helper()
	file := filepath.Join(h.project, "Pulumi.dev.yaml")
	require.NoError(h.t, os.WriteFile(file, []byte(fmt.Sprintf(`
config:
  strata:hosts:
    subnet: 10.10.0.0/24
    ssh: {user: strata}
    %s
    nodes: [{name: server-1, role: server, address: 10.10.0.11}, {name: agent-1, role: agent, address: %s}]
  strata:artifacts: {source: bundle}
  strata:metallb: {addresses: [10.10.0.200/29]}
`, hosts, second)), 0o600))
	bundle := filepath.Join(h.project, "bundle")
	require.NoError(h.t, os.MkdirAll(bundle, 0o755))
	require.NoError(h.t, os.WriteFile(filepath.Join(bundle, "disk.qcow2"), []byte(qcow2), 0o600))
	manifest := `{"artifacts":[{"name":"vm-image","version":"12","arch":"amd64","path":"disk.qcow2","size":32,` +
		`"sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","origin":"stand-in: a header"}]}`
	require.NoError(h.t, os.WriteFile(filepath.Join(bundle, "manifest.json"),
		[]byte(manifest), 0o600))
	cfg, err := config.FromFile(file)
	require.NoError(h.t, err)
	return cfg
}

// up creates the stack's machines as an update does.
func (h *hypervisorStack) up(cfg *config.Config, image hypervisor.Image, pin string) {
	h.t.Helper()
	key, _ := sshtest.NewKey(h.t)
	h.t.Setenv("STRATA_HOST_KEY", string(key))
	for _, spec := range inventory.VMSpecs(cfg) {
		spec.Image = image
		spec.Guest.AuthorizedKeys = []string{"ssh-ed25519 AAAA"}
		spec.Hypervisor.HostKey = pin
		spec.Cluster, spec.Project = h.cluster, "strata"
		text, err := json.Marshal(spec)
		require.NoError(h.t, err)
		code, _, stderr := invoke(h.t, string(text), "vm", "create")
		require.Zero(h.t, code, stderr)
	}
}

func (h *hypervisorStack) preflight() (code int, output string) {
	h.t.Helper()
	code, stdout, stderr := invoke(h.t, "", "preflight", "--stack", "dev", "--project", h.project)
	assert.NotContains(h.t, stdout+stderr, "PRIVATE KEY")
	return code, stdout + stderr
}

func TestLibvirtPreflightPassesBeforeAndAfterUpdate(t *testing.T) {
	h := newHypervisorStack(t)
	h.write("domains/mail", "<domain/>")
	h.write("volumes/strata-dev-image-0123456789ab.qcow2", "2147483648")
	cfg := h.configure("driver: libvirt\n    libvirt: {bridge: br0}", "10.10.0.21")
	code, output := h.preflight()
	require.Zero(t, code, output)

	h.up(cfg, hypervisor.Image{SHA256: "0123456789abcdef"}, "")
	h.write("say-nodememstats", "free   : 1024 KiB\nbuffers: 0 KiB\ncached : 0 KiB\n")
	h.write("say-pool-info", "State: running\nAvailable: 1048576\n")
	code, output = h.preflight()
	assert.Zero(t, code, "its own machines hold the memory and the room: %s", output)
}

func TestLibvirtPreflightReportsAllFaultsAtOnce(t *testing.T) {
	h := newHypervisorStack(t)
	h.write("domains/strata-dev-server-1", "<domain/>")
	h.write("volumes/other.qcow2", "7")
	h.write("say-nodememstats", "free   : 1024 KiB\nbuffers: 0 KiB\ncached : 0 KiB\n")
	h.write("say-pool-info", "State: running\nAvailable: 1048576\n")
	h.configure("driver: libvirt\n    libvirt: {bridge: br7}\n    vm: {cpus: 16}", "10.10.0.66")
	require.NoError(t, os.WriteFile(filepath.Join(h.project, "bundle/disk.qcow2"),
		[]byte("a raw disk, which is longer than the header of a qcow2"), 0o600))
	code, output := h.preflight()
	assert.Equal(t, 1, code)
	for _, text := range []string{
		"strata:hosts.vm.cpus: expected at most the hypervisor's 8",
		"strata:hosts.vm.memoryMiB: expected 8192 MiB free for the machines, found 1 MiB",
		"strata:hosts.libvirt.pool default: expected 40 GiB free",
		"strata:hosts.libvirt.bridge br7", "one that is there: br0",
		"expected a qcow2 file", "strata:hosts.nodes[0]: expected name and number free, found: " +
			"there is a domain strata-dev-server-1", "strata:hosts.nodes[1].address 10.10.0.66: ",
		"answered by 00:11:22:33:44:55",
	} {
		assert.Contains(t, output, text)
	}
}

// onPVE returns a stack on a stand-in of Proxmox VE, the stand-in's SSH server, and the argument
// hosts for configure.
func onPVE(t *testing.T) (*hypervisorStack, *sshtest.Server, string) {
	t.Helper()
	h := newHypervisorStack(t)
	h.knows("")
	binary := filepath.Join(h.dir, "pve")
	output, err := exec.Command("go", "build", "-o", binary, "../tests/pve").CombinedOutput()
	require.NoError(t, err, string(output))
	for _, name := range []string{"qm", "pvesh", "pvesm"} {
		require.NoError(t, os.Symlink(binary, filepath.Join(h.dir, name)))
	}
	server := sshtest.Start(t)
	server.Env = []string{"PATH=" + h.dir + ":" + os.Getenv("PATH"), "PVE_STATE=" + h.dir}
	h.write("storage.json", `{"local-lvm": 42, "local": 10}`)
	h.write("guests/9000.json", `{"id": 9000, "diskGiB": 2, "config": {"name": "debian", "template": "1", "scsi0": "local-lvm:base-9000-disk-0,size=2G"}}`)
	key := filepath.Join(h.project, "key")
	require.NoError(t, os.WriteFile(key, server.PrivateKey(), 0o600))
	target := server.Target()
	return h, server, "driver: proxmox\n    hypervisor: {address: " + target.Address + ", port: " +
		strconv.Itoa(target.Port) + ", keyFile: key}\n    proxmox: {template: 9000}"
}

func TestProxmoxPreflightPassesBeforeAndAfterUpdate(t *testing.T) {
	h, server, hosts := onPVE(t)
	h.write("faults.json", `{"memoryMiB": "8192"}`)
	cfg := h.configure(hosts, "10.10.0.21")
	code, output := h.preflight()
	require.Zero(t, code, output)

	t.Setenv("STRATA_HYPERVISOR_KEY", string(server.PrivateKey()))
	h.up(cfg, hypervisor.Image{}, server.HostKey())
	code, output = h.preflight()
	assert.Zero(t, code, "its own machines hold all memory and all room: %s", output)
}

func TestProxmoxPreflightReportsAllFaultsAtOnce(t *testing.T) {
	h, _, hosts := onPVE(t)
	h.write("guests/101.json", `{"id": 101, "config": {"name": "strata-dev-agent-1", "description": "strata stack=prod node=agent-1 state=made"}}`)
	h.write("faults.json", `{"memoryMiB": "100", "cpus": "1", "quorate": "0", "bridges": "vmbr1", "content of local": "vztmpl", "inactive": "local-lvm"}`)
	h.configure(hosts, "10.10.0.66")
	code, output := h.preflight()
	assert.Equal(t, 1, code)
	for _, text := range []string{
		"expected a cluster with quorum", "at most the hypervisor's 1",
		"strata:hosts.vm.memoryMiB: expected 8192 MiB free", "strata:hosts.proxmox.bridge vmbr0",
		"vmbr1",
		"strata:hosts.proxmox.seedStorage local: ", "content type iso",
		"strata:hosts.proxmox.storage local-lvm: expected it active",
		"strata:hosts.nodes[1]: ", "VM 101 is called strata-dev-agent-1",
		"strata:hosts.nodes[1].address 10.10.0.66: ", "answered by 00:11:22:33:44:55",
	} {
		assert.Contains(t, output, text)
	}
}

func TestPreflightNamesHypervisorThatRefusesKey(t *testing.T) {
	h, _, hosts := onPVE(t)
	key, _ := sshtest.NewKey(t)
	require.NoError(t, os.WriteFile(filepath.Join(h.project, "key"), key, 0o600))
	h.configure(hosts, "10.10.0.21")
	code, output := h.preflight()
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "strata:hosts.hypervisor.address 127.0.0.1")
	assert.Contains(t, output, "authorized_keys")
	assert.Contains(t, output, "behind the above")
}
