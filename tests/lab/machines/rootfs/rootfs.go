package rootfs

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"strata/tests/lab/machines/host"
)

// file is a file of the machine's layer.
type file struct {
	content string
	mode    fs.FileMode
}

// diskPaths are directories on this host's disk instead of the overlay root. containerd's snapshots
// are overlays, which cannot be on another overlay. /var/lib/kubelet has no snapshots, and must not
// be a mount point, because uninstalling K3s removes it.
var diskPaths = []string{"/var/lib/rancher", "/var/lib/containerd"}

// Identity has the values that make a machine unique: name, network and keys.
type Identity struct {
	Name, Hostname string
	Address        netip.Prefix
	Gateway        netip.Addr
	DNS            []netip.Addr
	// AuthorizedKey is the public key that may log in as root and as strata.
	AuthorizedKey string
	// Seed has cloud-init's NoCloud files by name. If it is set, its files replace the seed that is
	// made from the other fields.
	Seed map[string]string
}

// Ensure writes the machine's layer: identity, network and seed. It runs before the first boot. A
// repeated call completes an interrupted one.
func (l Layer) Ensure(id Identity) error {
	for _, p := range []string{l.upper(), l.work(), l.Root()} {
		if err := os.MkdirAll(p, 0o755); err != nil {
			return fmt.Errorf("making the root file system: %w", err)
		}
	}
	for _, p := range diskPaths {
		for _, at := range []string{filepath.Join(l.disk(), filepath.Base(p)), filepath.Join(l.upper(), p)} {
			if err := os.MkdirAll(at, 0o755); err != nil {
				return fmt.Errorf("making the root file system: %w", err)
			}
		}
	}
	machineID, err := l.ensureMachineID()
	if err != nil {
		return err
	}
	files, err := rootfsFiles(id, machineID)
	if err != nil {
		return err
	}
	for path, f := range files {
		if err := host.WriteFile(filepath.Join(l.upper(), path), []byte(f.content), f.mode); err != nil {
			return err
		}
	}
	return l.enableSetup()
}

func rootfsFiles(id Identity, machineID string) (map[string]file, error) {
	files, err := seedFiles(id, machineID)
	if err != nil {
		return nil, err
	}
	files["etc/hostname"] = file{id.Hostname + "\n", 0o644}
	files["etc/hosts"] = file{hostsFile(id), 0o644}
	files["etc/resolv.conf"] = file{resolvConf(id), 0o644}
	files["etc/systemd/network/"+networkFile] = file{networkUnit(id), 0o644}
	maps.Copy(files, setupFiles())
	return files, nil
}

// ensureMachineID returns the machine's id, and generates it if it is missing. K3s, DHCP and the
// journal use it as the host's identity.
func (l Layer) ensureMachineID() (string, error) {
	path := filepath.Join(l.upper(), "etc/machine-id")
	if raw, err := os.ReadFile(path); err == nil {
		return strings.TrimSpace(string(raw)), nil
	}
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("generating the machine id: %w", err)
	}
	id := hex.EncodeToString(b[:])
	return id, host.WriteFile(path, []byte(id+"\n"), 0o444)
}

func hostsFile(id Identity) string {
	return fmt.Sprintf("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n%s %s\n",
		id.Address.Addr(), id.Hostname)
}

func resolvConf(id Identity) string {
	var b strings.Builder
	for _, addr := range id.DNS {
		fmt.Fprintf(&b, "nameserver %s\n", addr)
	}
	return b.String()
}
