package e2e

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote/sshtest"
)

// proxmox is a fake Proxmox VE node: an SSH server of the test that runs the node's commands.
type proxmox struct {
	t       *testing.T
	dir     string
	network network
	server  *sshtest.Server
	net.Listener
	// down is true while the node closes every connection.
	down    atomic.Bool
	port    int
	keyFile string
	// machines are the lab machines that stand for the node's virtual machines.
	machines *hostSet
}

// newPVE starts a fake node whose machines belong to the stack named story.
func newPVE(t *testing.T, story string, network network, nodes ...node) *proxmox {
	t.Helper()
	p := &proxmox{t: t, dir: t.TempDir(), network: network, server: sshtest.New(t)}
	binary := filepath.Join(p.dir, "pve")
	build := exec.Command("go", "build", "-o", binary, "./tests/pve")
	build.Dir = root
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	for _, name := range []string{"qm", "pvesh", "pvesm"} {
		require.NoError(t, os.Symlink(binary, filepath.Join(p.dir, name)))
	}
	p.write("storage.json", map[string]int{"local-lvm": 200, "local": 10})
	p.write("guests/9000.json", map[string]any{"id": 9000, "diskGiB": 2,
		"config": map[string]string{"name": "debian", "template": "1",
			"scsi0": "local-lvm:base-9000-disk-0,size=2G",
			"ide2":  "local-lvm:vm-9000-cloudinit,media=cdrom"}})
	p.write("guests/100.json", map[string]any{"id": 100,
		"config": map[string]string{"name": "mail"}})
	p.keyFile = filepath.Join(p.dir, "key")
	require.NoError(t, os.WriteFile(p.keyFile, p.server.PrivateKey(), 0o600))
	image, err := machineImage()
	require.NoError(t, err)
	p.server.Env = []string{
		"PATH=" + p.dir + ":" + os.Getenv("PATH"), "PVE_STATE=" + p.dir, "PVE_LAB=" + lab,
		"PVE_IMAGE=" + image.path,
		"PVE_IMAGE_SHA256=" + image.sum, "PVE_BRIDGE=" + network.bridge,
		"PVE_SUBNET=" + network.subnet(),
	}
	p.machines = own(t, "strata-"+story, network, nodes...)
	t.Cleanup(p.dump)
	p.Listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.port = p.Addr().(*net.TCPAddr).Port
	p.server.Serve(t, p)
	return p
}

// dump logs the output of the machines' boots, which run in the background, if the story failed.
func (p *proxmox) dump() {
	if !p.t.Failed() {
		return
	}
	boots, err := filepath.Glob(filepath.Join(p.dir, "*.log"))
	assert.NoError(p.t, err)
	for _, boot := range boots {
		text, err := os.ReadFile(boot)
		assert.NoError(p.t, err)
		p.t.Logf("--- boot of %s\n%s", filepath.Base(boot), text)
	}
}

// sections returns the configuration of a stack on the node. change overrides settings of Proxmox
// or of the machines.
func (p *proxmox) sections(change map[string]any, nodes ...node) map[string]any {
	return map[string]any{
		"hosts":       p.hosts(change, nodes...),
		"metallb":     map[string]any{"addresses": []any{p.network.pool()}},
		"certManager": map[string]any{"enabled": false},
	}
}

// hosts returns the section hosts of a stack on the node.
func (p *proxmox) hosts(change map[string]any, nodes ...node) map[string]any {
	settings := map[string]any{"template": 9000, "storage": "local-lvm", "seedStorage": "local"}
	virtual := map[string]any{"memoryMiB": 2048, "diskGiB": 8, "modules": []any{}, "dhcp": false}
	for key, value := range change {
		if _, ofVM := virtual[key]; ofVM {
			virtual[key] = value
		} else {
			settings[key] = value
		}
	}
	return map[string]any{
		"driver": "proxmox", "subnet": p.network.subnet(), "ssh": map[string]any{"user": "strata"},
		"vm": virtual, "proxmox": settings, "nodes": p.machines.list(nodes...),
		"hypervisor": map[string]any{"address": "127.0.0.1", "port": p.port, "keyFile": p.keyFile,
			"hostKey": p.server.HostKey()},
	}
}

func (p *proxmox) write(name string, content any) {
	p.t.Helper()
	text, err := json.Marshal(content)
	require.NoError(p.t, err)
	file := filepath.Join(p.dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(p.t, os.WriteFile(file, text, 0o600))
}

// run runs a command of the node, like a logged-in user.
func (p *proxmox) run(t *testing.T, words ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(p.dir, words[0]), words[1:]...)
	cmd.Env = append(os.Environ(), p.server.Env...)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", words, output)
}

// guests returns the names of the files of the node's virtual machines.
func (p *proxmox) guests(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.dir, "guests"))
	require.NoError(t, err)
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

// id returns the VMID of the virtual machine with a name.
func (p *proxmox) id(t *testing.T, name string) string {
	t.Helper()
	guest, found := p.guest(t, name)
	require.True(t, found, "no VM of "+name)
	return strconv.Itoa(guest.ID)
}

// guest is a virtual machine in the format of the fake node.
type guest struct {
	ID      int
	Running bool
	Config  struct{ Name string }
}

// guest returns the virtual machine with a name. ok is false while its file is being written.
func (p *proxmox) guest(t *testing.T, name string) (found guest, ok bool) {
	t.Helper()
	for _, file := range p.guests(t) {
		text, err := os.ReadFile(filepath.Join(p.dir, "guests", file))
		if err == nil && json.Unmarshal(text, &found) == nil && found.Config.Name == name {
			return found, true
		}
	}
	return guest{}, false
}

// silent calls run while the node closes every connection.
func (p *proxmox) silent(run func()) {
	p.down.Store(true)
	defer p.down.Store(false)
	run()
}

// Accept implements net.Listener.
func (p *proxmox) Accept() (net.Conn, error) {
	for {
		conn, err := p.Listener.Accept()
		if err != nil || !p.down.Load() {
			return conn, err
		}
		_ = conn.Close()
	}
}
