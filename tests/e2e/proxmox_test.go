package e2e

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/remote/sshtest"
)

// The life of a staging platform on machines that Strata makes on a Proxmox VE node: tests/pve stands in for its commands, and each
// machine boots from the seed that it was given.
func TestProxmoxMakesAStagingPlatform(t *testing.T) {
	network := network{"stx0", "10.20.0"}
	all := []node{{"server-1", "server", 11}, {"server-2", "server", 12}, {"server-3", "server", 13}, {"agent-1", "agent", 21}, {"agent-2", "agent", 22}}
	pve := newPVE(t, "e2e-proxmox", network)
	s := newStack(t, "e2e-proxmox", pve.sections(nil, all...))
	s.step("a template that is not there is named", func(t *testing.T) {
		s.configure(pve.sections(map[string]any{"template": 9001}, all...))
		s.refused(t, s.up(), "no template 9001", "strata:hosts.proxmox.template")
	})
	s.step("a full storage is named, and nothing is left on it", func(t *testing.T) {
		s.configure(pve.sections(nil, all...))
		pve.write("storage.json", map[string]int{"local-lvm": 4, "local": 10})
		s.refused(t, s.up(), "storage is full", "local-lvm")
		pve.write("storage.json", map[string]int{"local-lvm": 200, "local": 10})
	})
	s.step("it comes up", func(t *testing.T) {
		s.must(s.up())
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
		assert.Len(t, pve.guests(t), len(all)+2, "the machines, the template, and the one of somebody else's")
	})
	s.step("a LoadBalancer Service answers from outside", func(t *testing.T) {
		serve(t, s.client(), "hello")
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.step("a second up changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("more memory restarts one machine after the other, and the cluster serves", func(t *testing.T) {
		s.configure(pve.sections(map[string]any{"memoryMiB": 3072}, all...))
		r := s.must(s.up())
		for _, n := range all {
			assert.Contains(t, r.output, "strata-e2e-proxmox-"+n.name+": from 2 processors and 2048 MiB to 2 and 3072 MiB")
		}
		s.must(s.run(strata, "health", "--stack", s.name, "--timeout", "2m"))
	})
	s.step("a machine that is gone is named", func(t *testing.T) {
		pve.run(t, "qm", "stop", pve.id(t, "strata-e2e-proxmox-agent-2"))
		r := s.run(strata, "health", "--stack", s.name)
		s.refused(t, r, "hosts-agent-2-boot", "stopped")
		pve.run(t, "qm", "start", pve.id(t, "strata-e2e-proxmox-agent-2"))
		s.must(s.run(strata, "health", "--stack", s.name, "--timeout", "3m"))
	})
	s.step("destroy with a node that does not answer is bounded and says how to go on", func(t *testing.T) {
		pve.silent(func() { s.refused(t, s.destroy(), "hypervisor", "pulumi state delete") })
	})
	s.step("destroy leaves nothing, and nothing of others is gone", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
		assert.Equal(t, []string{"100.json", "9000.json"}, pve.guests(t))
		seeds, err := filepath.Glob(filepath.Join(pve.dir, "local/template/iso/*"))
		require.NoError(t, err)
		assert.Empty(t, seeds)
		assert.NotContains(t, (&lent{t: t}).running(t), "strata-e2e-proxmox-")
	})
}

// What keeps a machine from coming up is named with its cause, and the next up goes on.
func TestProxmoxMachinesThatDoNotComeUp(t *testing.T) {
	pve := newPVE(t, "e2e-slow", network{"sty0", "10.21.0"})
	server := node{"server-1", "server", 11}
	s := newStack(t, "e2e-slow", nil)
	with := func(host string, change map[string]any) {
		sections := pve.sections(change, server)
		sections["timeouts"], sections["metallb"] = map[string]any{"host": host}, map[string]any{"enabled": false}
		s.configure(sections)
	}
	s.step("cloud-init that fails is named at once, with its log", func(t *testing.T) {
		with("5m", map[string]any{"modules": []any{"no_such_module"}})
		s.refused(t, s.up(), "hosts-server-1-gate", "cloud-init", "bootcmd")
	})
	s.step("a first boot of two minutes is named when the bound is shorter", func(t *testing.T) {
		pve.write("faults.json", map[string]string{"bootDelay": "120s"})
		with("20s", nil)
		s.refused(t, s.up("--replace", s.urn(t, "hosts-server-1-vm")), "hosts-server-1-gate", "timed out after 20", "strata:timeouts.host is 20s")
	})
	s.step("and waited for when it is longer: the same machine comes up", func(t *testing.T) {
		id := pve.id(t, "strata-e2e-slow-server-1")
		with("5m", nil)
		s.must(s.up())
		assert.Equal(t, id, pve.id(t, "strata-e2e-slow-server-1"))
		assert.Equal(t, []string{"server-1"}, nodeNames(t, s.client()))
	})
	s.step("destroy leaves nothing", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
		assert.Equal(t, []string{"100.json", "9000.json"}, pve.guests(t))
	})
}

// urn is the whole name of a resource in the state.
func (s *stack) urn(t *testing.T, name string) string {
	t.Helper()
	r := s.must(s.run("pulumi", "stack", "export", "--stack", s.name))
	for _, part := range strings.Split(r.output, `"`) {
		if strings.HasPrefix(part, "urn:pulumi:") && strings.HasSuffix(part, "::"+name) {
			return part
		}
	}
	require.Fail(t, "no resource "+name)
	return ""
}

// proxmox is a node's commands behind an SSH server of this test.
type proxmox struct {
	t       *testing.T
	dir     string
	network network
	server  *sshtest.Server
	net.Listener
	// down is true while the node hangs up on everybody.
	down    atomic.Bool
	port    int
	keyFile string
}

func newPVE(t *testing.T, story string, network network) *proxmox {
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
	p.write("guests/9000.json", map[string]any{"id": 9000, "diskGiB": 2, "config": map[string]string{"name": "debian", "template": "1", "scsi0": "local-lvm:base-9000-disk-0,size=2G", "ide2": "local-lvm:vm-9000-cloudinit,media=cdrom"}})
	p.write("guests/100.json", map[string]any{"id": 100, "config": map[string]string{"name": "mail"}})
	p.keyFile = filepath.Join(p.dir, "key")
	require.NoError(t, os.WriteFile(p.keyFile, p.server.PrivateKey(), 0o600))
	image, err := machineImage()
	require.NoError(t, err)
	p.server.Env = []string{
		"PATH=" + p.dir + ":" + os.Getenv("PATH"), "PVE_STATE=" + p.dir, "PVE_STRATA=" + strata, "PVE_IMAGE=" + image.path,
		"PVE_IMAGE_SHA256=" + image.sum, "PVE_BRIDGE=" + network.bridge, "PVE_SUBNET=" + network.subnet(),
	}
	machines := &lent{t: t, net: network, story: "strata-" + story, nodes: []node{{name: "server-1", role: "server"}}}
	machines.delete()
	t.Cleanup(machines.cleanUp)
	p.Listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.port = p.Addr().(*net.TCPAddr).Port
	p.server.Serve(t, p)
	return p
}

// sections is a stack on the node; change replaces settings of Proxmox or of the machines.
func (p *proxmox) sections(change map[string]any, nodes ...node) map[string]any {
	settings := map[string]any{"template": 9000, "storage": "local-lvm", "seedStorage": "local"}
	virtual := map[string]any{"memoryMiB": 2048, "diskGiB": 8, "modules": []any{}}
	for key, value := range change {
		if _, ofVM := virtual[key]; ofVM {
			virtual[key] = value
		} else {
			settings[key] = value
		}
	}
	list := (&lent{net: p.network}).list(nodes...)
	return map[string]any{
		"hosts": map[string]any{
			"driver": "proxmox", "subnet": p.network.subnet(), "ssh": map[string]any{"user": "strata"}, "vm": virtual, "proxmox": settings, "nodes": list,
			"hypervisor": map[string]any{"address": "127.0.0.1", "port": p.port, "keyFile": p.keyFile, "hostKey": p.server.HostKey()},
		},
		"metallb": map[string]any{"addresses": []any{p.network.pool()}}, "certManager": map[string]any{"enabled": false},
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

// run runs a command of the node, as somebody who is logged in there does.
func (p *proxmox) run(t *testing.T, words ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(p.dir, words[0]), words[1:]...)
	cmd.Env = append(os.Environ(), p.server.Env...)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", words, output)
}

// guests are the files of the node's VMs.
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

// id is the number of a node's VM.
func (p *proxmox) id(t *testing.T, name string) string {
	t.Helper()
	for _, file := range p.guests(t) {
		text, err := os.ReadFile(filepath.Join(p.dir, "guests", file))
		require.NoError(t, err)
		var g struct {
			ID     int
			Config struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(text, &g))
		if g.Config.Name == name {
			return strconv.Itoa(g.ID)
		}
	}
	require.Fail(t, "no VM of "+name)
	return ""
}

// silent runs run while the node hangs up on everybody.
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
