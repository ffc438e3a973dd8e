package libvirt

import (
	"context"
	"slices"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

func (l *libvirt) ListOwned(ctx context.Context) ([]hypervisor.Owned, error) {
	names, err := l.virsh(ctx, "list", "--all", "--name")
	if err != nil {
		return nil, err
	}
	var all []hypervisor.Owned
	for _, name := range slices.Sorted(slices.Values(strings.Fields(names))) {
		if !strings.HasPrefix(name, l.Spec.Prefix()) {
			continue
		}
		have, err := l.read(ctx, name)
		if err != nil {
			return nil, err
		}
		if !l.Spec.OfStack(have.Mark) {
			continue
		}
		one := &libvirt{driver.Runner{Host: l.Host, Spec: l.Spec.WithNode(have.Mark.Node)}}
		remove, err := one.removal(ctx, name, have.Running)
		if err != nil {
			return nil, err
		}
		all = append(all, hypervisor.Owned{Mark: have.Mark, What: "domain " + name, Remove: remove})
	}
	return all, nil
}

// removal returns the commands that remove a machine; the domain, which has the mark, goes last.
func (l *libvirt) removal(ctx context.Context, name string, running bool) ([]string, error) {
	virsh := func(words ...string) string {
		return driver.Shell(append([]string{"virsh", "-c", l.Spec.Libvirt.URI}, words...))
	}
	var commands []string
	if running {
		commands = append(commands, virsh("destroy", name))
	}
	disk, seed := l.volumes()
	for _, volume := range []string{seed, disk} {
		there, err := l.hasVolume(ctx, volume)
		if err != nil {
			return nil, err
		}
		if there {
			commands = append(commands, virsh("vol-delete", "--pool", l.Spec.Libvirt.Pool, volume))
		}
	}
	return append(commands, virsh("undefine", name, "--managed-save", "--snapshots-metadata")), nil
}
