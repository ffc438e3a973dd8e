package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// powerPoll is the pause between two looks at a machine that powers off; virsh has no command that waits for it within a bound.
const powerPoll = 500 * time.Millisecond

func (l *libvirt) shutdown(ctx context.Context, _ *found) error {
	name := l.spec.Name()
	if _, err := l.virsh(ctx, "shutdown", name); err != nil {
		return err
	}
	return untilOff(ctx, l.spec, func() (string, error) { return l.virsh(ctx, "domstate", name) }, "shut off")
}

// untilOff waits until state says that a machine is off.
func untilOff(ctx context.Context, spec Spec, state func() (string, error), off string) error {
	limit := time.NewTimer(shutdownTimeout)
	defer limit.Stop()
	tick := time.NewTicker(powerPoll)
	defer tick.Stop()
	for {
		now, err := state()
		if err != nil {
			return err
		}
		if strings.Contains(now, off) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: did not power off in time: %w", spec.Name(), ctx.Err())
		case <-limit.C:
			return fmt.Errorf("%s: did not power off within %s, it is %s; power it off by hand and run up again", spec.Name(), shutdownTimeout, now)
		}
	}
}

func (l *libvirt) resize(ctx context.Context, _ *found) error {
	name, cpus, memory := l.spec.Name(), strconv.Itoa(l.spec.CPUs), strconv.Itoa(l.spec.MemoryMiB)+"MiB"
	for _, words := range [][]string{
		{"setvcpus", name, cpus, "--config", "--maximum"}, {"setvcpus", name, cpus, "--config"},
		{"setmaxmem", name, memory, "--config"}, {"setmem", name, memory, "--config"},
	} {
		if _, err := l.virsh(ctx, words...); err != nil {
			return err
		}
	}
	return nil
}

func (l *libvirt) grow(ctx context.Context, have *found) error {
	disk, _ := l.volumes()
	size := strconv.Itoa(l.spec.DiskGiB) + "GiB"
	words := []string{"vol-resize", "--pool", l.spec.Libvirt.Pool, disk, size}
	if have.Running {
		words = []string{"blockresize", l.spec.Name(), "vda", size}
	}
	_, err := l.virsh(ctx, words...)
	if err == nil && have.Running { // the pool remembers the old size
		_, err = l.virsh(ctx, "pool-refresh", l.spec.Libvirt.Pool)
	}
	return err
}

// destroy removes the volumes before the domain, which has the mark, so that an interrupted removal can be repeated.
func (l *libvirt) destroy(ctx context.Context, have *found) error {
	if !l.spec.owns(have.Mark) {
		return errors.New(l.spec.Name() + ": not this stack's")
	}
	name := l.spec.Name()
	state, err := l.virsh(ctx, "domstate", name)
	if err != nil {
		return err
	}
	if strings.TrimSpace(state) != "shut off" {
		if _, err := l.virsh(ctx, "destroy", name); err != nil {
			return err
		}
	}
	disk, seed := l.volumes()
	for _, volume := range []string{seed, disk} {
		if err := l.removeVolume(ctx, volume); err != nil {
			return err
		}
	}
	if _, err := l.virsh(ctx, "undefine", name, "--managed-save", "--snapshots-metadata"); err != nil {
		return err
	}
	_, err = l.command(ctx, "rm", "-f", "--", consoleLog(l.spec), qemuLog(l.spec))
	return err
}

func (l *libvirt) look(ctx context.Context) (Facts, error) {
	have, err := l.find(ctx)
	if err != nil || have == nil {
		return Facts{}, err
	}
	facts := Facts{Exists: true}
	if facts.Power, err = l.virsh(ctx, "domstate", "--reason", l.spec.Name()); err != nil {
		return Facts{}, err
	}
	facts.Running = strings.HasPrefix(facts.Power, "running")
	if facts.Running && l.spec.Guest.DHCP {
		l.addresses(ctx, &facts)
	}
	// The log may be there only once the machine has said something.
	facts.Console, _ = l.command(ctx, "tail", "-n", "12", consoleLog(l.spec))
	return facts, nil
}

// addresses asks the guest's agent and libvirt's own DHCP server. Neither has to be there.
func (l *libvirt) addresses(ctx context.Context, facts *Facts) {
	if text, err := l.virsh(ctx, "domifaddr", l.spec.Name(), "--source", "lease"); err == nil {
		facts.Addresses = append(facts.Addresses, addressesIn(text, l.spec.MAC())...)
	}
	text, err := l.virsh(ctx, "qemu-agent-command", l.spec.Name(), `{"execute":"guest-network-get-interfaces"}`)
	if err != nil {
		facts.Agent = err.Error()
		return
	}
	var answer struct{ Return agentInterfaces }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		facts.Agent = err.Error()
		return
	}
	facts.Addresses = append(facts.Addresses, answer.Return.of(l.spec.MAC())...)
}

// addressesIn reads domifaddr's table: name, hardware address, protocol, address/prefix.
func addressesIn(table, mac string) []string {
	var addresses []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 4 && strings.EqualFold(fields[1], mac) {
			address, _, _ := strings.Cut(fields[3], "/")
			addresses = append(addresses, address)
		}
	}
	return addresses
}
