package lifecycle

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/ssh/remote"
)

// pveBinary is the path of tests/pve, built once.
var pveBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "strata-pve-")
	if err != nil {
		panic(err)
	}
	pveBinary = filepath.Join(dir, "pve")
	if output, err := exec.Command("go", "build", "-o", pveBinary,
		"../../../tests/pve").CombinedOutput(); err != nil {
		panic(string(output))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// here returns this machine as a hypervisor.
func here(t *testing.T) hypervisor.Host {
	t.Helper()
	host, err := hypervisor.Connect(t.Context(), remote.Target{}, nil)
	require.NoError(t, err)
	return host
}

// path puts a folder in front of the test's PATH.
func path(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// pve fakes a Proxmox VE node, with template 9000 and the machine of another owner.
type pve struct {
	t   *testing.T
	dir string
}

func newPVE(t *testing.T) *pve {
	t.Helper()
	p := &pve{t: t, dir: t.TempDir()}
	for _, name := range []string{"qm", "pvesh", "pvesm"} {
		require.NoError(t, os.Symlink(pveBinary, filepath.Join(p.dir, name)))
	}
	path(t, p.dir)
	t.Setenv("PVE_STATE", p.dir)
	t.Setenv("PVE_LAB", "")
	p.write("storage.json", map[string]int{"local-lvm": 100, "local": 10})
	p.guest(9000,
		map[string]string{"name": "debian", "template": "1",
			"scsi0": "local-lvm:base-9000-disk-0,size=2G",
			"ide2":  "local-lvm:vm-9000-cloudinit,media=cdrom,size=4M"})
	p.guest(100, map[string]string{"name": "mail", "description": "not ours"})
	return p
}

func (p *pve) write(name string, content any) {
	p.t.Helper()
	text, err := json.Marshal(content)
	require.NoError(p.t, err)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755))
	require.NoError(p.t, os.WriteFile(filepath.Join(p.dir, name), text, 0o600))
}

func (p *pve) guest(id int, config map[string]string) {
	p.t.Helper()
	size := 0
	if config["scsi0"] != "" {
		size = 2
	}
	p.write(filepath.Join("guests", itoa(id)+".json"),
		map[string]any{"id": id, "config": config, "diskGiB": size})
}

// read returns a guest's configuration; nil if it is gone.
func (p *pve) read(id int) map[string]string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "guests", itoa(id)+".json"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(p.t, err)
	var g struct{ Config map[string]string }
	require.NoError(p.t, json.Unmarshal(text, &g))
	return g.Config
}
