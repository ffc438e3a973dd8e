package proxmox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

func (p *proxmox) Start(ctx context.Context, have *driver.Found) error {
	_, err := p.Command(ctx, "qm", "start", have.ID)
	return err
}

// Shutdown waits until the machine is off: qm shutdown has a timeout of its own, after which it
// fails.
func (p *proxmox) Shutdown(ctx context.Context, have *driver.Found) error {
	_, err := p.Command(ctx, "qm", "shutdown", have.ID, "--timeout",
		strconv.Itoa(int(driver.ShutdownTimeout.Seconds())))
	return err
}

func (p *proxmox) Resize(ctx context.Context, have *driver.Found) error {
	_, err := p.Command(ctx, "qm", "set", have.ID, "--cores", strconv.Itoa(p.Spec.CPUs), "--memory",
		strconv.Itoa(p.Spec.MemoryMiB))
	return err
}

// Grow sets the disk's absolute size, so it may be repeated. Proxmox VE refuses a size below the
// present one.
func (p *proxmox) Grow(ctx context.Context, have *driver.Found) error {
	now, err := p.Find(ctx)
	if err != nil {
		return err
	}
	if now == nil || now.DiskGiB > p.Spec.DiskGiB {
		return fmt.Errorf(
			"%s: its image or template has a disk of more than %d GiB, and disks cannot shrink; "+
				"set strata:hosts.vm.diskGiB to more", p.Spec.Name(), p.Spec.DiskGiB)
	}
	if now.DiskGiB == p.Spec.DiskGiB {
		return nil
	}
	_, err = p.Command(ctx, "qm", "disk", "resize", have.ID, "scsi0",
		strconv.Itoa(p.Spec.DiskGiB)+"G")
	return err
}

// Destroy removes the machine last, because the mark is on the machine. So an interrupted removal
// can be repeated.
func (p *proxmox) Destroy(ctx context.Context, have *driver.Found) error {
	if !p.Spec.Owns(have.Mark) {
		return errors.New(p.Spec.Name() + ": not this stack's")
	}
	if _, err := p.Command(ctx, "qm", "stop", have.ID); err != nil {
		return err
	}
	if err := p.removeSeed(ctx, have); err != nil {
		return err
	}
	// The command keeps unreferenced disks: another owner may have left them under the same number.
	_, err := p.Command(ctx, "qm", "destroy", have.ID, "--purge", "1",
		"--destroy-unreferenced-disks", "0")
	return err
}

// removeSeed removes the seed from the machine and from its storage.
func (p *proxmox) removeSeed(ctx context.Context, have *driver.Found) error {
	path, err := p.Command(ctx, "pvesm", "path", p.seedVolume())
	if err != nil {
		return err
	}
	if _, err := p.Command(ctx, "qm", "set", have.ID, "--delete", seedSlot); err != nil {
		return err
	}
	// `pvesm free` fails if the volume is already gone, for example after an interrupted removal.
	_, err = p.Command(ctx, "rm", "-f", "--", path)
	return err
}

func (p *proxmox) Observe(ctx context.Context) (hypervisor.Facts, error) {
	have, err := p.Find(ctx)
	if err != nil || have == nil {
		return hypervisor.Facts{}, err
	}
	facts := hypervisor.Facts{Exists: true}
	if facts.Power, err = p.Command(ctx, "qm", "status", have.ID, "--verbose"); err != nil {
		return hypervisor.Facts{}, err
	}
	facts.Power = qmpStatus(facts.Power)
	facts.Running = facts.Power == "running"
	if facts.Running && p.Spec.Guest.DHCP {
		p.addresses(ctx, have, &facts)
	}
	return facts, nil
}

// qmpStatus returns the state that QEMU reports, because only this distinguishes a paused machine
// from a running one.
func qmpStatus(verbose string) string {
	status := ""
	for line := range strings.Lines(verbose) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "qmpstatus" || key == "status" && status == "" {
			status = value
		}
	}
	return status
}

// addresses reads the machine's addresses from the guest's agent, because Proxmox VE has no DHCP
// server whose leases could be read.
func (p *proxmox) addresses(ctx context.Context, have *driver.Found, facts *hypervisor.Facts) {
	text, err := p.Command(ctx, "qm", "guest", "cmd", have.ID, "network-get-interfaces")
	if err == nil {
		var answer driver.AgentInterfaces
		if err = json.Unmarshal([]byte(text), &answer); err == nil {
			facts.Addresses = answer.Addresses(p.Spec.MAC())
			return
		}
	}
	facts.Agent = err.Error()
}
