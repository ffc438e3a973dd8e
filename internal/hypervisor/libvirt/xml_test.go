package libvirt

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor/vmtest"
)

func TestDomainXMLMatchesSpec(t *testing.T) {
	spec := vmtest.OnLibvirt()
	text, err := domainXML(spec)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(text, new(struct{})))
	for _, part := range []string{
		`<domain type="kvm">`, `<cpu mode="host-passthrough"/>`, `<memory unit="MiB">4096</memory>`,
		`<vcpu>2</vcpu>`,
		`<mac address="` + spec.MAC() + `"/><source bridge="br0"/>`,
		`volume="strata-dev-server-1-seed.iso"/>
      <target dev="vdb" bus="virtio"/>`,
	} {
		assert.Contains(t, string(text), part)
	}
	spec.Libvirt.Type = "qemu"
	spec.Libvirt.Arch = "arm64"
	spec.Libvirt.Bridge = ""
	spec.Libvirt.Network = "a<b"
	text, err = domainXML(spec)
	require.NoError(t, err)
	for _, part := range []string{`<cpu mode="maximum"/>`, `arch="aarch64" machine="virt"`,
		`<source network="a&lt;b"/>`} {
		assert.Contains(t, string(text), part)
	}
}
