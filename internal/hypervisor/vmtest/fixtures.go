package vmtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/hypervisor"
)

// NewKey returns a private key in PEM.
func NewKey(t *testing.T) []byte {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "test")
	require.NoError(t, err)
	return pem.EncodeToMemory(block)
}

// Machine returns a Spec without a hypervisor.
func Machine() hypervisor.Spec {
	return hypervisor.Spec{
		Stack: "dev", Node: "server-1", Cluster: "cafe", Project: "strata",
		Timeout: metav1.Duration{Duration: time.Minute}, CPUs: 2, MemoryMiB: 4096, DiskGiB: 20,
		Guest: hypervisor.Guest{
			Address: netip.MustParsePrefix("10.10.0.11/24"),
			Gateway: netip.MustParseAddr("10.10.0.1"),
			DNS:     []netip.Addr{netip.MustParseAddr("10.10.0.1")},
			User:    "strata", Port: 22, AuthorizedKeys: []string{"ssh-ed25519 AAAA test"},
			Modules:  []string{"br_netfilter"},
			Sysctls:  map[string]string{"vm.max_map_count": "262144"},
			Packages: []string{"open-iscsi"},
		},
	}
}

// PublicOf returns the public half of a private key.
func PublicOf(t *testing.T, private []byte) string {
	t.Helper()
	signer, err := ssh.ParsePrivateKey(private)
	require.NoError(t, err)
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// OnLibvirt returns the Spec of a machine on libvirt.
func OnLibvirt() hypervisor.Spec {
	spec := Machine()
	spec.Driver, spec.Libvirt = "libvirt",
		&hypervisor.Libvirt{URI: "qemu:///system", Pool: "default", Bridge: "br0", Type: "kvm",
			Arch: "amd64"}
	spec.Image.SHA256 = "0123456789abcdef"
	return spec
}

// OnPVE returns the Spec of a machine that is cloned from template 9000.
func OnPVE() hypervisor.Spec {
	spec := Machine()
	spec.Driver, spec.Proxmox = "proxmox",
		&hypervisor.Proxmox{Storage: "local-lvm", SeedStorage: "local", Bridge: "vmbr0", VLAN: 7,
			Template: 9000}
	return spec
}
