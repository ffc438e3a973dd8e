package proxmox

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/vmtest"
)

func TestImageIsImportedFromItsPathOnNode(t *testing.T) {
	spec := vmtest.OnPVE()
	spec.Proxmox.Template, spec.Image = 0, hypervisor.Image{SHA256: "0123456789abcdef"}
	p := proxmox{driver.Runner{Spec: spec}}
	assert.Equal(t,
		[]string{"qm", "create", "101", "--name", "strata-dev-server-1", "--description",
			"strata stack=dev node=server-1 state=making cluster=cafe project=strata",
			"--ostype", "l26", "--cpu", "host", "--scsihw", "virtio-scsi-single", "--serial0",
			"socket",
			"--boot", "order=scsi0",
			"--scsi0", "local-lvm:0,import-from=/var/lib/strata-images/dev-0123456789ab.qcow2,discard=on"},
		p.createCommand("101"))
}
