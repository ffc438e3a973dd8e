package vm

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Owned is a machine on the hypervisor that carries the mark of a stack.
type Owned struct {
	Mark
	// What names it as the hypervisor does, for example "domain strata-dev-server-1".
	What string
	// Remove are the commands that take it away with all that was made for it, in order, to be typed on the hypervisor as root.
	Remove []string
}

// OwnedBy are the machines of a Spec's stack on its hypervisor, sorted by name, whichever node the Spec is for. It changes nothing.
func OwnedBy(ctx context.Context, host Host, spec Spec) ([]Owned, error) {
	return newDriver(host, spec).owned(ctx)
}

// prefix is what the names of all machines of a stack begin with. Those of another stack can, too: only the mark tells.
func (s Spec) prefix() string { return strings.TrimSuffix(s.Name(), s.Node) }

// ofStack reports whether a machine is the Spec's stack's. Without an identity on either side the stack's name decides.
func (s Spec) ofStack(m Mark) bool {
	return m.Stack == s.Stack && (m.Cluster == s.Cluster || m.Cluster == "" || s.Cluster == "")
}

// of is the Spec of another node of the stack.
func (s Spec) of(node string) Spec {
	s.Node = node
	return s
}

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

func (p *proxmox) owned(ctx context.Context) ([]Owned, error) {
	guests, err := p.guests(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(guests, func(a, b guestEntry) int { return strings.Compare(a.Name, b.Name) })
	var all []Owned
	for _, guest := range guests {
		if guest.Type != "qemu" || !strings.HasPrefix(guest.Name, p.spec.prefix()) {
			continue
		}
		config, err := p.config(ctx, guest)
		if err != nil {
			return nil, err
		}
		have := config.found(guest)
		if !p.spec.ofStack(have.Mark) {
			continue
		}
		one := &proxmox{runner{host: p.host, spec: p.spec.of(have.Mark.Node)}}
		path, err := one.command(ctx, "pvesm", "path", one.seedVolume())
		if err != nil {
			return nil, err
		}
		all = append(all, Owned{Mark: have.Mark, What: "VM " + strconv.Itoa(guest.VMID) + " (" + guest.Name + ") on node " + guest.Node, Remove: []string{
			shell([]string{"qm", "stop", have.ID}), shell([]string{"rm", "-f", "--", path}),
			shell([]string{"qm", "destroy", have.ID, "--purge", "1", "--destroy-unreferenced-disks", "0"}),
		}})
	}
	return all, nil
}
