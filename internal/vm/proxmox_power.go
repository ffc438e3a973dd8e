package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

func (p *proxmox) start(ctx context.Context, have *found) error {
	_, err := p.command(ctx, "qm", "start", have.ID)
	return err
}

// shutdown waits by itself, and fails when the time is over.
func (p *proxmox) shutdown(ctx context.Context, have *found) error {
	_, err := p.command(ctx, "qm", "shutdown", have.ID, "--timeout", strconv.Itoa(int(shutdownTimeout.Seconds())))
	return err
}

func (p *proxmox) resize(ctx context.Context, have *found) error {
	_, err := p.command(ctx, "qm", "set", have.ID, "--cores", strconv.Itoa(p.spec.CPUs), "--memory", strconv.Itoa(p.spec.MemoryMiB))
	return err
}

// grow asks for the size itself, not for more: repeating it changes nothing. A size below the present one is refused.
func (p *proxmox) grow(ctx context.Context, have *found) error {
	now, err := p.find(ctx)
	if err != nil {
		return err
	}
	if now == nil || now.DiskGiB > p.spec.DiskGiB {
		return fmt.Errorf("%s: its image or template has a disk of more than %d GiB, and disks cannot shrink; set strata:hosts.vm.diskGiB to more", p.spec.Name(), p.spec.DiskGiB)
	}
	if now.DiskGiB == p.spec.DiskGiB {
		return nil
	}
	_, err = p.command(ctx, "qm", "disk", "resize", have.ID, "scsi0", strconv.Itoa(p.spec.DiskGiB)+"G")
	return err
}

// destroy removes the machine last: it has the mark, so that an interrupted removal can be repeated.
func (p *proxmox) destroy(ctx context.Context, have *found) error {
	if !p.spec.owns(have.Mark) {
		return errors.New(p.spec.Name() + ": not this stack's")
	}
	if _, err := p.command(ctx, "qm", "stop", have.ID); err != nil {
		return err
	}
	if err := p.removeSeed(ctx, have); err != nil {
		return err
	}
	// Without unreferenced disks: those would be somebody else's, left under the same number.
	_, err := p.command(ctx, "qm", "destroy", have.ID, "--purge", "1", "--destroy-unreferenced-disks", "0")
	return err
}

// removeSeed takes the seed out of the machine and out of its storage.
func (p *proxmox) removeSeed(ctx context.Context, have *found) error {
	path, err := p.command(ctx, "pvesm", "path", p.seedVolume())
	if err != nil {
		return err
	}
	if _, err := p.command(ctx, "qm", "set", have.ID, "--delete", seedSlot); err != nil {
		return err
	}
	// `pvesm free` fails for a volume that is not there, which is what an interrupted removal leaves.
	_, err = p.command(ctx, "rm", "-f", "--", path)
	return err
}

func (p *proxmox) look(ctx context.Context) (Facts, error) {
	have, err := p.find(ctx)
	if err != nil || have == nil {
		return Facts{}, err
	}
	facts := Facts{Exists: true}
	if facts.Power, err = p.command(ctx, "qm", "status", have.ID, "--verbose"); err != nil {
		return Facts{}, err
	}
	facts.Power = qmpStatus(facts.Power)
	facts.Running = facts.Power == "running"
	if facts.Running && p.spec.Guest.DHCP {
		p.addresses(ctx, have, &facts)
	}
	return facts, nil
}

// qmpStatus is what the machine's process says, which tells a machine that stands still from one that runs.
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

// addresses asks the guest's agent: Proxmox VE has no DHCP server that knows leases.
func (p *proxmox) addresses(ctx context.Context, have *found, facts *Facts) {
	text, err := p.command(ctx, "qm", "guest", "cmd", have.ID, "network-get-interfaces")
	if err == nil {
		var answer agentInterfaces
		if err = json.Unmarshal([]byte(text), &answer); err == nil {
			facts.Addresses = answer.of(p.spec.MAC())
			return
		}
	}
	facts.Agent = err.Error()
}
