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

// file is one file of the machine's own layer over the image.
type file struct {
	content string
	mode    fs.FileMode
}

// diskPaths lie on this host's disk and not on the overlay root: containerd's snapshots are
// overlays themselves, and an overlay on an overlay is refused. /var/lib/kubelet has none, and must
// stay removable, which a mount point is not.
var diskPaths = []string{"/var/lib/rancher", "/var/lib/containerd"}

// Identity describes a machine to itself: name, network and keys.
type Identity struct {
	Name, Hostname string
	Address        netip.Prefix
	Gateway        netip.Addr
	DNS            []netip.Addr
	// AuthorizedKey may log in as root and as strata.
	AuthorizedKey string
	// Seed are NoCloud's files by name, in place of those made from the other fields.
	Seed map[string]string
}

// Ensure writes the machine's layer: identity, network, seed. It is complete before the first boot,
// and a second call after an interruption completes it.
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

// ensureMachineID gives the machine an id of its own: K3s, DHCP and the journal use it as the
// host's identity.
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
