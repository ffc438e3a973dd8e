package vm

import (
	"context"
	"slices"
	"strings"
)

func (l *libvirt) owned(ctx context.Context) ([]Owned, error) {
	names, err := l.virsh(ctx, "list", "--all", "--name")
	if err != nil {
		return nil, err
	}
	var all []Owned
	for _, name := range slices.Sorted(slices.Values(strings.Fields(names))) {
		if !strings.HasPrefix(name, l.spec.prefix()) {
			continue
		}
		have, err := l.read(ctx, name)
		if err != nil {
			return nil, err
		}
		if !l.spec.ofStack(have.Mark) {
			continue
		}
		one := &libvirt{runner{host: l.host, spec: l.spec.of(have.Mark.Node)}}
		remove, err := one.removal(ctx, name, have.Running)
		if err != nil {
			return nil, err
		}
		all = append(all, Owned{Mark: have.Mark, What: "domain " + name, Remove: remove})
	}
	return all, nil
}

// removal is what destroy does, as commands; the domain, which has the mark, goes last.
func (l *libvirt) removal(ctx context.Context, name string, running bool) ([]string, error) {
	virsh := func(words ...string) string {
		return shell(append([]string{"virsh", "-c", l.spec.Libvirt.URI}, words...))
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
			commands = append(commands, virsh("vol-delete", "--pool", l.spec.Libvirt.Pool, volume))
		}
	}
	return append(commands, virsh("undefine", name, "--managed-save", "--snapshots-metadata")), nil
}
