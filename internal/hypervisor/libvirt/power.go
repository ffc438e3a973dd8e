package libvirt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// powerPoll is the pause between two checks whether a machine has powered off. virsh has no command
// that waits for the end of a shutdown.
const powerPoll = 500 * time.Millisecond

func (l *libvirt) Shutdown(ctx context.Context, _ *driver.Found) error {
	name := l.Spec.Name()
	if _, err := l.virsh(ctx, "shutdown", name); err != nil {
		return err
	}
	var state string
	var failed error
	err := wait.PollUntilContextTimeout(ctx, powerPoll, driver.ShutdownTimeout, true,
		func(context.Context) (bool, error) {
			state, failed = l.virsh(ctx, "domstate", name)
			return strings.Contains(state, "shut off"), failed
		})
	switch {
	case failed != nil || err == nil:
		return failed
	case ctx.Err() != nil:
		return fmt.Errorf("%s: did not power off in time: %w", name, ctx.Err())
	}
	return fmt.Errorf("%s: did not power off within %s, it is %s; power it off by hand and run up again",
		name, driver.ShutdownTimeout, state)
}

func (l *libvirt) Resize(ctx context.Context, _ *driver.Found) error {
	name := l.Spec.Name()
	cpus := strconv.Itoa(l.Spec.CPUs)
	memory := strconv.Itoa(l.Spec.MemoryMiB) + "MiB"
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

func (l *libvirt) Grow(ctx context.Context, have *driver.Found) error {
	disk, _ := l.volumes()
	size := strconv.Itoa(l.Spec.DiskGiB) + "GiB"
	words := []string{"vol-resize", "--pool", l.Spec.Libvirt.Pool, disk, size}
	if have.Running {
		words = []string{"blockresize", l.Spec.Name(), "vda", size}
	}
	_, err := l.virsh(ctx, words...)
	if err == nil && have.Running { // the pool remembers the old size
		_, err = l.virsh(ctx, "pool-refresh", l.Spec.Libvirt.Pool)
	}
	return err
}

// Destroy removes the domain last, because the domain has the mark. So an interrupted removal can
// be repeated.
func (l *libvirt) Destroy(ctx context.Context, have *driver.Found) error {
	if !l.Spec.Owns(have.Mark) {
		return errors.New(l.Spec.Name() + ": not this stack's")
	}
	name := l.Spec.Name()
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
	if _, err := l.virsh(ctx, "undefine", name, "--managed-save",
		"--snapshots-metadata"); err != nil {
		return err
	}
	_, err = l.Command(ctx, "rm", "-f", "--", consoleLog(l.Spec), qemuLog(l.Spec))
	return err
}

func (l *libvirt) Observe(ctx context.Context) (hypervisor.Facts, error) {
	have, err := l.Find(ctx)
	if err != nil || have == nil {
		return hypervisor.Facts{}, err
	}
	facts := hypervisor.Facts{Exists: true}
	if facts.Power, err = l.virsh(ctx, "domstate", "--reason", l.Spec.Name()); err != nil {
		return hypervisor.Facts{}, err
	}
	facts.Running = strings.HasPrefix(facts.Power, "running")
	if facts.Running && l.Spec.Guest.DHCP {
		l.addresses(ctx, &facts)
	}
	// The log does not exist before the machine's first output.
	facts.Console, _ = l.Command(ctx, "tail", "-n", "12", consoleLog(l.Spec))
	return facts, nil
}

// addresses sets the machine's addresses from the guest's agent and from libvirt's DHCP server, as
// far as they exist.
func (l *libvirt) addresses(ctx context.Context, facts *hypervisor.Facts) {
	if text, err := l.virsh(ctx, "domifaddr", l.Spec.Name(), "--source", "lease"); err == nil {
		facts.Addresses = append(facts.Addresses, addressesIn(text, l.Spec.MAC())...)
	}
	text, err := l.virsh(ctx, "qemu-agent-command", l.Spec.Name(),
		`{"execute":"guest-network-get-interfaces"}`)
	if err != nil {
		facts.Agent = err.Error()
		return
	}
	var answer struct{ Return driver.AgentInterfaces }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		facts.Agent = err.Error()
		return
	}
	facts.Addresses = append(facts.Addresses, answer.Return.Addresses(l.Spec.MAC())...)
}

// addressesIn parses domifaddr's table: name, hardware address, protocol, address/prefix.
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
